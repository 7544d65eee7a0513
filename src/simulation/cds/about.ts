import { CdsRefusal } from './cds-refusal.ts'
import { json, type Route } from './route.ts'

/** What anybody may ask: which version it is, and the worker's program. */
export const about: readonly Route[] = [
  {
    name: 'version',
    method: 'GET',
    path: '/mon/version',
    for: 'everybody',
    answer: () => json({ version: 'snapshot', architecture: 'amd64', os: 'linux', git_hash: '', build_time: '' }),
  },
  {
    name: 'download',
    method: 'GET',
    path: '/download/worker/{os}/{arch}',
    for: 'everybody',
    answer: ({ path }) => {
      // x86_64 is the one name that is understood besides; there is none for aarch64.
      if (path['os'] !== 'linux' || !['amd64', 'x86_64', 'arm64'].includes(path['arch'] ?? '')) throw new CdsRefusal('wrongRequest')
      return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: '#!/bin/sh\nexit 0\n' }
    },
  },
]
