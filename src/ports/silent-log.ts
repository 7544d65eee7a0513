import type { Log } from './log.ts'

const nothing = () => {}

/** The log of what nobody wants to read. */
export const silentLog: Log = Object.freeze({ debug: nothing, info: nothing, warn: nothing, error: nothing, with: () => silentLog })
