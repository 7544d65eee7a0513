import { createRequire } from 'node:module'
import type * as undici from 'undici'

/*
 * The two parts of undici that plain HTTP needs, by their own files: undici as a whole also brings fetch, caches, mocks and web sockets,
 * which take longer to load than a command has to run.
 */
const load = createRequire(import.meta.url)

/** Pools of connections, one for each origin. */
export const UndiciAgent = load('undici/lib/dispatcher/agent.js') as typeof undici.Agent

/** Makes connections. */
export const undiciConnector = load('undici/lib/core/connect.js') as typeof undici.buildConnector
