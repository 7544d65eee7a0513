import { CdsRefusal } from './cds-refusal.ts'
import { json, type Route, routesFor } from './route.ts'

const open = routesFor('everybody')

/** What anybody may ask: which version it is, and the worker's program. */
export const about: readonly Route[] = [
  open('version', 'GET /mon/version', () =>
    json({ version: 'snapshot', architecture: 'amd64', os: 'linux', git_hash: '', build_time: '' }),
  ),
  open('download', 'GET /download/worker/{os}/{arch}', ({ path }) => {
    // x86_64 is the one name that is understood besides; there is none for aarch64.
    if (path['os'] !== 'linux' || !['amd64', 'x86_64', 'arm64'].includes(path['arch'] ?? '')) throw new CdsRefusal('wrongRequest')
    return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: '#!/bin/sh\nexit 0\n' }
  }),
]
