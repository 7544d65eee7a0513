import { join } from 'node:path'
import { isoTimeMicro } from '../ports/index.ts'
import type { Clock, Files, Log, Metrics, Timer } from '../ports/index.ts'
import type { AuditEntry } from './access.ts'
import { RepeatedEntries } from './repeated-entries.ts'

/** What is written, and where. */
export interface AuditLogOptions {
  /** Holds `audit-000001.jsonl` and those after it. */
  readonly folder: string
  readonly which: 'all' | 'writes' | 'off'
  readonly maxFileSize: number
  readonly maxFiles: number
  readonly files: Files
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

/** Lines wait at most so long for others, and at most so many wait. */
const flushMilliseconds = 500
const maxWaiting = 20_000

const readVerbs = new Set(['get', 'list', 'watch', 'head', 'options'])

/** Asked so often, by probes and scrapers, that they would drown all else. A refusal is written nevertheless. */
const quietPaths = /^\/(healthz|livez|readyz|metrics)(\/|$)/

/**
 * The record of who did what, as lines of JSON in numbered files. Nobody waits for it: lines are collected and written a moment
 * later, so a crash can lose the last half second. When the disk cannot follow, lines are dropped, counted, and the gap is
 * written into the log itself.
 */
export class AuditLog {
  readonly #options: AuditLogOptions
  readonly #dropped
  readonly #repeated: RepeatedEntries
  #waiting: string[] = []
  #missing = 0
  #timer: Timer | undefined
  #writing: Promise<void> = Promise.resolve()
  #file: { number: number; bytes: number } | undefined
  #complained = false

  constructor(options: AuditLogOptions) {
    this.#options = options
    this.#repeated = new RepeatedEntries(options.clock, (entry, at) => this.#put(entry, at))
    this.#dropped = options.metrics.counter({
      name: 'aviary_audit_lines_dropped_total',
      help: 'Lines that are missing in the audit log because they could not be written.',
    })
  }

  /** Takes a line to be written soon. Never waits, never throws. */
  add(entry: AuditEntry): void {
    if (this.#wanted(entry)) this.#repeated.add(entry)
  }

  /** Writes what is waiting. */
  async close(): Promise<void> {
    this.#repeated.close()
    this.#timer?.cancel()
    this.#flushSoon()
    await this.#writing
  }

  #put(entry: AuditEntry, at: number): void {
    if (this.#waiting.length >= maxWaiting) return this.#miss(1)
    this.#waiting.push(auditLine(entry, at))
    this.#timer ??= this.#options.clock.after(flushMilliseconds, () => this.#flushSoon())
  }

  #wanted({ attempt, status }: AuditEntry): boolean {
    if (this.#options.which === 'off') return false
    if (attempt.path !== undefined && quietPaths.test(attempt.path) && status < 400) return false
    return this.#options.which === 'all' || !readVerbs.has(attempt.verb)
  }

  #flushSoon(): void {
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#flush())
  }

  async #flush(): Promise<void> {
    const lines = this.#waiting
    if (lines.length === 0) return
    this.#waiting = []
    const { clock, log } = this.#options
    if (this.#missing > 0) lines.unshift(`${JSON.stringify({ time: isoTimeMicro(clock.now()), missing: this.#missing })}\n`)
    const missing = this.#missing
    this.#missing = 0
    try {
      await this.#write(lines)
      this.#complained = false
    } catch (error) {
      this.#missing += missing
      this.#miss(missing > 0 ? lines.length - 1 : lines.length)
      if (!this.#complained) log.error('audit log cannot be written', { error })
      this.#complained = true
    }
  }

  /** In pieces that fit into a file, so that no file grows past its limit by more than a line. */
  async #write(lines: readonly string[]): Promise<void> {
    const { folder, files, maxFileSize } = this.#options
    let file = (this.#file ??= await this.#latestFile())
    for (let next = 0; next < lines.length;) {
      if (file.bytes >= maxFileSize) file = this.#file = await this.#nextFile(file.number)
      let piece = ''
      let bytes = 0
      while (next < lines.length && (bytes === 0 || file.bytes + bytes < maxFileSize)) {
        const line = lines[next++] as string
        piece += line
        bytes += Buffer.byteLength(line)
      }
      await files.append(join(folder, fileName(file.number)), piece, { mode: 0o600 })
      file.bytes += bytes
    }
  }

  async #latestFile(): Promise<{ number: number; bytes: number }> {
    const { folder, files } = this.#options
    await files.makeFolder(folder, { mode: 0o700 })
    const number = (await this.#numbers()).at(-1)
    if (number === undefined) return { number: 1, bytes: 0 }
    return { number, bytes: Buffer.byteLength(await files.read(join(folder, fileName(number)))) }
  }

  async #nextFile(last: number): Promise<{ number: number; bytes: number }> {
    const { folder, files, maxFiles } = this.#options
    const kept = await this.#numbers()
    // One less than the limit, for the one that is about to be begun.
    for (const old of kept.slice(0, Math.max(0, kept.length - maxFiles + 1))) await files.remove(join(folder, fileName(old)))
    return { number: last + 1, bytes: 0 }
  }

  async #numbers(): Promise<readonly number[]> {
    const names = await this.#options.files.names(this.#options.folder)
    return names
      .flatMap(name => /^audit-(\d{6,})\.jsonl$/.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b)
  }

  #miss(count: number): void {
    this.#missing += count
    this.#dropped.add({}, count)
  }
}

function fileName(number: number): string {
  return `audit-${String(number).padStart(6, '0')}.jsonl`
}

/** One line. Lists its fields one by one, so that nothing can slip in that nobody thought of. */
function auditLine(entry: AuditEntry, at: number): string {
  const { resource, path, verb } = entry.attempt
  const line = {
    time: isoTimeMicro(at),
    id: entry.id,
    user: entry.user,
    groups: entry.groups,
    verb,
    ...(resource && {
      group: resource.group,
      version: resource.version,
      resource: resource.plural,
      subresource: resource.subresource,
      namespace: resource.namespace,
      name: resource.name,
    }),
    // A query could carry anything.
    path: path?.split('?')[0]?.slice(0, 500),
    status: entry.status,
    reason: entry.reason,
    dryRun: entry.dryRun,
    repeated: entry.repeated,
    milliseconds: Math.round(entry.durationMilliseconds * 10) / 10,
    source: entry.sourceAddress,
    agent: entry.userAgent.slice(0, 200),
  }
  return `${JSON.stringify(line)}\n`
}
