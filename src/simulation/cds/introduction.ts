import { keyFromBase64 } from './json-web-token.ts'
import type { Introduction } from './records.ts'
import { textAt } from './route.ts'

/** What is known of a hatchery that has not signed in yet. */
export const stranger: Readonly<Introduction> = Object.freeze({
  url: '',
  config: {},
  key: undefined,
  publicKey: '',
  lastHeartbeat: 0,
  status: [],
})

/** A hatchery signs in, and says who it is. */
export function introduce(row: Introduction, given: Readonly<Record<string, unknown>>, now: number): void {
  row.url = textAt(given, 'http_url')
  row.config = typeof given['config'] === 'object' && given['config'] !== null ? given['config'] : {}
  row.publicKey = textAt(given, 'public_key')
  row.key = keyFromBase64(row.publicKey)
  row.lastHeartbeat = now
}

/** A hatchery says that it lives, and how it is. */
export function hearBeat(row: Introduction, given: Readonly<Record<string, unknown>>, now: number): void {
  row.status = Array.isArray(given['lines']) ? given['lines'] : []
  row.lastHeartbeat = now
}
