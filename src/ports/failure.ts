/** What a person who meets the error reads: what happened, and what to do about it. */
export interface FailureText {
  readonly message: string
  readonly fix?: string
}

/** An error that somebody planned for: a stable code, a message, a fix, and the facts behind them. */
export class Failure<D = unknown> extends Error {
  /** Stable and documented, for programs and for searching. */
  readonly code: string
  /** What the reader can do; undefined if nothing but waiting helps. */
  readonly fix: string | undefined
  readonly details: D

  constructor(code: string, text: FailureText, details: D, options?: ErrorOptions) {
    super(text.message, options)
    this.name = code
    this.code = code
    this.fix = text.fix
    this.details = details
  }
}

/** One planned error: call it to make one, ask `is` to recognise one. */
export interface FailureType<D> {
  (details: D, options?: ErrorOptions): Failure<D>
  readonly code: string
  is(error: unknown): error is Failure<D>
}

/**
 * Declares an error with its stable code. Each room keeps its own in `errors.ts`; docs/errors.md lists them all.
 *
 * @example
 * export const PortInUse = failure('SERVER_PORT_IN_USE', ({ port }: { port: number }) => ({
 *   message: `port ${port} is already in use`,
 *   fix: 'choose another with --listen 127.0.0.1:PORT',
 * }))
 */
export function failure<D>(code: string, describe: (details: D) => FailureText): FailureType<D> {
  const make = (details: D, options?: ErrorOptions) => new Failure(code, describe(details), details, options)
  const is = (error: unknown): error is Failure<D> => error instanceof Failure && error.code === code
  return Object.assign(make, { code, is })
}
