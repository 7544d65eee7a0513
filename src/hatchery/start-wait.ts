import { isoTime } from '../ports/index.ts'

/** What a hatchery waits for before it works. */
export interface StartWait {
  /** What must happen: `it waits until …`. */
  readonly what: string
  /** Milliseconds since 1970. */
  readonly since: number
}

/** The same for people. */
export function startLine({ what, since }: StartWait): string {
  return `The hatchery is starting and starts no worker yet: since ${isoTime(since).replace('T', ' ')} it waits until ${what}.`
}
