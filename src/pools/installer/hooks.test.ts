import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { realClock, realProcesses, Secret, simulatedHttp, VirtualClock } from '../../ports/index.ts'
import type { HttpClient } from '../../ports/index.ts'
import { commandHook } from './command-hook.ts'
import { httpHook } from './http-hook.ts'
import type { Installer, InstallRequest, InstallState } from './installer.ts'

const request = (startedAt: number): InstallRequest => ({
  key: 'a-12345/a-12345',
  clusterName: 'a',
  baseDomain: 'example.com',
  infraID: 'a-xyz12',
  clusterID: 'id',
  platform: 'vsphere',
  credentials: { password: new Secret('hidden') },
  provision: `a-12345-0-${startedAt}`,
  attempt: 0,
  startedAt,
  installConfig: new Secret('metadata: {name: a}\n'),
  pullSecret: undefined,
  releaseImage: 'image:1',
  prevInfraID: undefined,
  manifestPatches: [],
  environment: { COLOUR: 'green' },
})
const signal = new AbortController().signal

describe('a command', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aviary-hook-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const clock = realClock()
  async function hook(script: string, timeout = 20_000): Promise<Installer> {
    const file = join(folder, `hook-${clock.monotonic()}.sh`)
    await writeFile(file, `#!/bin/sh\n${script}`)
    await chmod(file, 0o755)
    return commandHook({
      command: [file],
      processes: realProcesses(clock),
      clock,
      timeout,
      canHibernate: false,
      environment: { PATH: process.env['PATH'] ?? '' },
    })
  }
  async function through(installer: Installer, asked = request(clock.now())): Promise<InstallState> {
    const ended = new Promise<void>(resolve => {
      installer.onChange(() => resolve())
    })
    expect(await installer.install(asked, signal)).toMatchObject({ state: 'installing' })
    await ended
    return installer.install(asked, signal)
  }

  test('gets everything it needs, and its last line is the result', async () => {
    const installer = await hook(
      `cat > "$0".json\necho "progress: $1 $CLUSTER_NAME.$BASE_DOMAIN $INFRA_ID $COLOUR"\necho '{"apiURL":"https://x","kubeconfig":"config","password":"p"}'`,
    )
    const state = await through(installer)
    expect(state).toMatchObject({ state: 'installed', apiURL: 'https://x' })
    expect(state.state === 'installed' && state.kubeconfig.reveal()).toBe('config')
  })

  test('that fails is a failed attempt with its log, in which no line speaks of passwords', async () => {
    const state = await through(await hook('cat > /dev/null\necho "the disk is full"\necho "password=secret" >&2\nexit 3'))
    expect(state).toMatchObject({
      state: 'failed',
      reason: 'HookFailed',
      retryable: true,
      log: expect.stringContaining('the disk is full'),
    })
    expect(JSON.stringify(state)).not.toContain('secret')
  })

  test('can say that another attempt is hopeless', async () => {
    expect(await through(await hook('cat > /dev/null\nexit 78'))).toMatchObject({ state: 'failed', retryable: false })
  })

  test('that prints no result is a failed attempt', async () => {
    expect(await through(await hook('cat > /dev/null\necho done'))).toMatchObject({ state: 'failed', reason: 'HookAnswerNotValid' })
  })

  test('that takes too long is ended', async () => {
    expect(await through(await hook('exec sleep 60', 200))).toMatchObject({ state: 'failed', reason: 'AttemptDeadlineExceeded' })
  })

  test('an attempt that a restart cut off is lost, not begun twice', async () => {
    const installer = await hook('exit 0')
    expect(await installer.install(request(clock.now() - 600_000), signal)).toMatchObject({
      state: 'failed',
      reason: 'AttemptLost',
      retryable: true,
    })
  })

  test('removes a cluster', async () => {
    const installer = await hook('cat > /dev/null\n[ "$1" = destroy ]')
    const ended = new Promise<void>(resolve => {
      installer.onChange(() => resolve())
    })
    const asked = { ...request(clock.now()), startedAt: clock.now() }
    expect(await installer.destroy(asked, signal)).toMatchObject({ state: 'removing' })
    await ended
    expect(await installer.destroy(asked, signal)).toMatchObject({ state: 'removed' })
  })
})

describe('an endpoint', () => {
  function hook(answer: (path: string, body: Record<string, unknown>) => { readonly status?: number; readonly body: unknown }) {
    const clock = new VirtualClock()
    const asked: { path: string; body: Record<string, unknown>; authorization: string | undefined }[] = []
    const http = simulatedHttp(
      async served => {
        const body = JSON.parse(new TextDecoder().decode(served.body)) as Record<string, unknown>
        const path = new URL(served.url).pathname
        asked.push({ path, body, authorization: served.headers['authorization'] })
        const { status = 200, body: said } = answer(path, body)
        return { status, headers: {}, body: JSON.stringify(said) }
      },
      { clock },
    )
    const connect = vi.fn<() => Promise<HttpClient>>(async () => http)
    return { installer: httpHook({ url: 'https://hook.example.com/v1', connect, token: new Secret('sesame'), clock }), asked, connect }
  }

  test('is asked until it is through', async () => {
    let count = 0
    const { installer, asked } = hook(() => ({
      body: count++ === 0 ? { state: 'installing', message: 'half' } : { state: 'installed', apiURL: 'https://x', kubeconfig: 'c' },
    }))
    expect(await installer.install(request(0), signal)).toMatchObject({ state: 'installing', message: 'half', again: expect.any(Number) })
    expect(await installer.install(request(0), signal)).toMatchObject({ state: 'installed', apiURL: 'https://x' })
    expect(asked[0]).toMatchObject({
      path: '/v1/install',
      body: { infraID: 'a-xyz12', installConfig: 'metadata: {name: a}\n', credentials: { password: 'hidden' } },
    })
  })

  test('that answers nonsense or an error is tried again, and nothing is taken for done', async () => {
    await expect(hook(() => ({ body: { state: 'installed' } })).installer.install(request(0), signal)).rejects.toThrow('cannot be used')
    await expect(hook(() => ({ status: 500, body: {} })).installer.destroy(request(0), signal)).rejects.toThrow('status 500')
  })

  test('is told who asks, and a refusal says what to look at without the token', async () => {
    const { installer, asked } = hook(() => ({ status: 401, body: {} }))
    const refused = installer.install(request(0), signal)
    await expect(refused).rejects.toThrow('pools.installer.token is not what it wants')
    await expect(refused).rejects.not.toThrow('sesame')
    expect(asked[0]?.authorization).toBe('Bearer sesame')
  })

  test('whose certificate authority cannot be read is tried again', async () => {
    const { installer, connect } = hook(() => ({ body: { state: 'removed' } }))
    connect.mockRejectedValueOnce(new Error('no such file'))
    await expect(installer.destroy(request(0), signal)).rejects.toThrow('no such file')
    expect(await installer.destroy(request(0), signal)).toEqual({ state: 'removed' })
    expect(connect).toHaveBeenCalledTimes(2)
  })

  test('that does not know power has clusters that always run', async () => {
    const { installer } = hook(() => ({ status: 404, body: {} }))
    expect(await installer.power({ ...request(0), wanted: 'Hibernating', since: 0 }, signal)).toEqual({ state: 'unsupported' })
  })
})
