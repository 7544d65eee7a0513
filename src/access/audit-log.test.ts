import { describe, expect, test } from 'vitest'
import { memoryFiles, prometheusMetrics, recordingLog, VirtualClock } from '../ports/index.ts'
import type { Files } from '../ports/index.ts'
import type { AuditEntry } from './access.ts'
import { AuditLog } from './audit-log.ts'
import type { AuditLogOptions } from './audit-log.ts'

const resource = { group: 'demo.aviary.dev', version: 'v1alpha1', plural: 'nests', namespace: 'web', name: 'robin' }

function entry(id: string, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id,
    user: 'ann',
    groups: ['birders'],
    attempt: { verb: 'create', resource },
    sourceAddress: '10.0.0.1',
    userAgent: 'kubectl/v1.36',
    status: 201,
    durationMilliseconds: 1.2345,
    ...more,
  }
}

function setUp(more: Partial<AuditLogOptions> = {}) {
  const clock = new VirtualClock({ start: 1_800_000_000_000 })
  const files = more.files ?? memoryFiles()
  const metrics = prometheusMetrics()
  const log = recordingLog()
  const audit = new AuditLog({ folder: '/d/audit', which: 'all', maxFileSize: 100_000, maxFiles: 3, clock, log, metrics, ...more, files })
  return { audit, clock, files, metrics, log }
}

async function linesOf(files: Files): Promise<readonly Record<string, unknown>[]> {
  const texts = await Promise.all((await files.names('/d/audit')).map(name => files.read(`/d/audit/${name}`)))
  return texts
    .join('')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Record<string, unknown>)
}

describe('the audit log', () => {
  test('writes one line a request, a moment later', async () => {
    const { audit, clock, files } = setUp()
    audit.add(entry('1'))
    expect(await files.names('/d/audit')).toEqual([])
    await clock.advance(1000)
    expect(await linesOf(files)).toEqual([
      {
        time: '2027-01-15T08:00:00.000000Z',
        id: '1',
        user: 'ann',
        groups: ['birders'],
        verb: 'create',
        group: 'demo.aviary.dev',
        version: 'v1alpha1',
        resource: 'nests',
        namespace: 'web',
        name: 'robin',
        status: 201,
        milliseconds: 1.2,
        source: '10.0.0.1',
        agent: 'kubectl/v1.36',
      },
    ])
  })

  test('shows what was only counted at the time of the last of it', async () => {
    const { audit, clock, files } = setUp()
    for (const id of ['first', 'second', 'last']) {
      audit.add(entry(id, { user: '', status: 401 }))
      await clock.advance(1000)
    }
    await clock.advance(120_000)
    expect(await linesOf(files)).toMatchObject([
      { time: '2027-01-15T08:00:00.000000Z', id: 'first' },
      { time: '2027-01-15T08:00:02.000000Z', id: 'last', repeated: 2 },
    ])
  })

  test('holds nothing but the fields it knows, and no query', async () => {
    const { audit, files } = setUp()
    const sneaky = { ...entry('1', { attempt: { verb: 'post', path: '/x?token=hidden' } }), body: 'hidden', object: { data: 'hidden' } }
    audit.add(sneaky)
    await audit.close()
    expect(JSON.stringify(await linesOf(files))).not.toContain('hidden')
    expect(await linesOf(files)).toMatchObject([{ path: '/x' }])
  })

  test('keeps a line one line, whatever a client calls itself', async () => {
    const { audit, files } = setUp()
    audit.add(entry('1', { userAgent: 'a\n{"user":"forged"}\n'.repeat(100) }))
    await audit.close()
    expect(await linesOf(files)).toHaveLength(1)
  })

  test('loses nothing that was taken before it was closed', async () => {
    const { audit, files } = setUp()
    for (let i = 0; i < 500; i++) audit.add(entry(String(i)))
    await audit.close()
    expect((await linesOf(files)).map(line => line['id'])).toEqual(Array.from({ length: 500 }, (_, i) => String(i)))
  })

  test('begins a new file when one is full and keeps the newest', async () => {
    const { audit, clock, files } = setUp({ maxFileSize: 1000 })
    for (let i = 0; i < 40; i++) {
      audit.add(entry(String(i)))
      if (i % 7 === 0) await clock.advance(1000)
    }
    await audit.close()
    const names = await files.names('/d/audit')
    expect(names).toHaveLength(3)
    for (const name of names) expect((await files.read(`/d/audit/${name}`)).length).toBeLessThan(1400)
    expect((await linesOf(files)).at(-1)?.['id']).toBe('39')
  })

  test('goes on in the last file after a restart', async () => {
    const files = memoryFiles()
    for (const id of ['1', '2']) {
      const { audit } = setUp({ files })
      audit.add(entry(id))
      await audit.close()
    }
    expect(await files.names('/d/audit')).toEqual(['audit-000001.jsonl'])
    expect((await linesOf(files)).map(line => line['id'])).toEqual(['1', '2'])
  })

  test.each([
    ['all', ['create', 'get', 'refused probe']],
    ['writes', ['create']],
    ['off', []],
  ] as const)('of %s holds %j', async (which, expected) => {
    const { audit, files } = setUp({ which })
    audit.add(entry('create'))
    audit.add(entry('get', { attempt: { verb: 'get', resource } }))
    audit.add(entry('probe', { attempt: { verb: 'get', path: '/healthz' }, status: 200 }))
    audit.add(entry('refused probe', { attempt: { verb: 'get', path: '/metrics' }, status: 403 }))
    await audit.close()
    expect((await linesOf(files)).map(line => line['id'])).toEqual(expected)
  })
})

describe('when the disk cannot be written', () => {
  test('nobody is stopped, the gap is counted, told once, and written down later', async () => {
    const real = memoryFiles()
    let broken = true
    const files: Files = {
      ...filesOf(real),
      append: (path, content) => (broken ? Promise.reject(new Error('disk full')) : real.append(path, content)),
    }
    const { audit, clock, log, metrics } = setUp({ files })
    for (const id of ['1', '2', '3']) {
      audit.add(entry(id))
      await clock.advance(1000)
    }
    broken = false
    audit.add(entry('4'))
    await audit.close()
    expect(await linesOf(real)).toMatchObject([{ missing: 3 }, { id: '4' }])
    expect(log.lines.map(line => line.message)).toEqual(['audit log cannot be written'])
    expect(await metrics.text()).toContain('aviary_audit_lines_dropped_total 3')
  })

  test('memory is bounded', async () => {
    const { audit, files } = setUp({ maxFileSize: 100_000_000 })
    for (let i = 0; i < 20_005; i++) audit.add(entry(String(i)))
    await audit.close()
    expect((await linesOf(files))[0]).toMatchObject({ missing: 5 })
  })
})

function filesOf(files: Files): Files {
  return {
    read: path => files.read(path),
    readIfThere: path => files.readIfThere(path),
    write: (path, content) => files.write(path, content),
    append: (path, content) => files.append(path, content),
    makeFolder: path => files.makeFolder(path),
    names: path => files.names(path),
    exists: path => files.exists(path),
    remove: path => files.remove(path),
  }
}
