import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { DurationNotValid, formatDuration, parseDuration, Secret } from '../../ports/index.ts'
import type { Files } from '../../ports/index.ts'
import { FileSecret } from './file-secret.ts'
import type { ValuePath } from './toml-positions.ts'

/** What a setting may look at while it is made ready: where relative paths start, and where secrets are. */
export interface Surroundings {
  readonly folder: string
  readonly files: Files
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Tells the writer of the file what works, but perhaps not as they think. */
  readonly warn: (said: Said) => void
}

/** Something about a setting. */
export interface Said {
  /** Where, below the value that is made ready; absent: that value itself. */
  readonly path?: ValuePath
  /** What it came from, if not from the file: a variable of the environment. */
  readonly from?: string
  readonly message: string
  readonly fix?: string
}

/** Several things are wrong with one value. What `Pending.resolve` may reject with, besides any other error. */
export class SettingsNotValid extends Error {
  readonly problems: readonly Said[]

  constructor(problems: readonly Said[]) {
    super(problems.map(({ message }) => message).join('; '))
    this.problems = problems
  }
}

/**
 * A value that is not known before a file or the environment was looked at. Only between parsing and resolving: in a loaded
 * configuration there are none.
 */
export class Pending {
  readonly resolve: (surroundings: Surroundings) => Promise<unknown>

  constructor(resolve: (surroundings: Surroundings) => Promise<unknown>) {
    this.resolve = resolve
  }
}

const inlineSecret = z.union([z.string(), z.strictObject({ file: z.string().min(1) }), z.strictObject({ env: z.string().min(1) })])
const secretValue = z.custom<Secret>(value => value instanceof Secret || value instanceof Pending)

/**
 * A secret, written as `{ file = "…" }`, `{ env = "…" }`, or as it is. A line end at the end of a file is not part of it.
 */
export function secret() {
  return z
    .codec(z.unknown(), secretValue, {
      decode: (input, context) => {
        const parsed = inlineSecret.safeParse(input)
        if (parsed.success) return pendingSecret(parsed.data) as unknown as Secret
        const message = 'must be { file = "PATH" }, { env = "VARIABLE" } or a string'
        context.issues.push({ code: 'custom', input, message })
        return z.NEVER
      },
      encode: () => '***',
    })
    .meta({ type: 'secret' })
}

function pendingSecret(source: z.output<typeof inlineSecret>): Pending {
  return new Pending(async ({ folder, files, environment }) => {
    if (typeof source === 'string') return new Secret(source)
    if ('file' in source) {
      const file = inFolder(folder, source.file)
      return new FileSecret((await files.read(file)).replace(/\r?\n$/, ''), file)
    }
    const value = environment[source.env]
    if (value === undefined) throw new Error(`the environment variable ${source.env} is not set`)
    return new Secret(value)
  })
}

/** A path of a file or folder; a relative one starts at the folder of the configuration file. */
export function path() {
  return z
    .codec(
      z.string().min(1),
      z.custom<string>(value => typeof value === 'string' || value instanceof Pending),
      {
        decode: given => new Pending(async ({ folder }) => inFolder(folder, given)) as unknown as string,
        encode: value => value,
      },
    )
    .meta({ type: 'path' })
}

function inFolder(folder: string, given: string): string {
  return isAbsolute(given) ? given : join(folder, given)
}

/** Something that files of other programs hold and this one has no use for: accepted, and told with what to do instead. */
export function unused(advice: string) {
  return z
    .codec(
      z.unknown(),
      z.custom<undefined>(value => value === undefined || value instanceof Pending),
      {
        decode: () => new Pending(async ({ warn }) => void warn({ message: 'is not used', fix: advice })) as unknown as undefined,
        encode: () => undefined,
      },
    )
    .meta({ unused: true, description: `Not used: ${advice}` })
    .optional()
}

/** A time span such as `1h30m`, in milliseconds once it is loaded. */
export function duration(limits: { readonly min?: string; readonly max?: string } = {}) {
  const least = parseDuration(limits.min ?? '0')
  const most = parseDuration(limits.max ?? '1000000h')
  return z
    .codec(z.string(), z.number(), {
      decode: (text, context) => {
        const milliseconds = readDuration(text)
        if (milliseconds !== undefined && milliseconds >= least && milliseconds <= most) return milliseconds
        const range = `between ${formatDuration(least)} and ${formatDuration(most)}`
        const message = milliseconds === undefined ? 'must be a time span such as "90s" or "1h30m"' : `must be ${range}`
        context.issues.push({ code: 'custom', input: text, message })
        return z.NEVER
      },
      encode: formatDuration,
    })
    .meta({ type: 'time span' })
}

function readDuration(text: string): number | undefined {
  try {
    return parseDuration(text)
  } catch (error) {
    if (DurationNotValid.is(error)) return undefined
    throw error
  }
}

/** Where to listen. Port 0 takes any free one. */
export interface Address {
  readonly host: string
  readonly port: number
}

const addressForm = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/

/** `HOST:PORT`, with an IPv6 address in brackets. */
export function address() {
  return z
    .codec(z.string(), z.object({ host: z.string(), port: z.int() }), {
      decode: (text, context) => {
        const [, six, host, port] = addressForm.exec(text) ?? []
        if (Number(port) <= 65_535) return { host: six ?? host ?? '', port: Number(port) }
        const message = 'must be HOST:PORT with a port up to 65535, such as "127.0.0.1:7443" or "[::1]:7443"'
        context.issues.push({ code: 'custom', input: text, message })
        return z.NEVER
      },
      encode: formatAddress,
    })
    .meta({ type: 'HOST:PORT' })
}

/** An address as a URL and a configuration write it. */
export function formatAddress({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

const byteUnits: Readonly<Record<string, number>> = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }
const bytesForm = /^(\d+) ?(KiB|MiB|GiB)?$/

/** An amount of bytes such as `20MiB`, at most `max`. */
export function bytes({ max }: { readonly max: number }) {
  return z
    .codec(z.string(), z.number(), {
      decode: (text, context) => {
        const [, count, unit] = bytesForm.exec(text) ?? []
        const size = Number(count) * (byteUnits[unit ?? ''] as number)
        if (size <= max) return size
        const message = count === undefined ? 'must be a size such as "512KiB" or "20MiB"' : `must be at most ${formatBytes(max)}`
        context.issues.push({ code: 'custom', input: text, message })
        return z.NEVER
      },
      encode: formatBytes,
    })
    .meta({ type: 'size' })
}

function formatBytes(count: number): string {
  const unit = ['GiB', 'MiB', 'KiB'].find(name => count > 0 && count % (byteUnits[name] as number) === 0)
  return unit === undefined ? String(count) : `${count / byteUnits[unit]!}${unit}`
}
