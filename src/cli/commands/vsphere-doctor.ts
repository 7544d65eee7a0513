import { httpClient, silentLog } from '../../ports/index.ts'
import { doctor, type Check } from '../../vsphere/index.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { checkReport } from '../output/check-report.ts'
import { vcentersOf } from '../vcenter.ts'
import type { VcenterOptions } from '../vcenter.ts'

interface DoctorOptions extends VcenterOptions {
  readonly template: readonly string[]
  readonly output: 'table' | 'json'
}

/** `aviary vsphere doctor`: what is there and allowed, and for each thing that is not what breaks and how to fix it. */
export async function run(_args: readonly string[], options: DoctorOptions, io: Io): Promise<number> {
  const checks: Check[] = []
  const vcenters = await vcentersOf(options, io)
  for (const { section, settings, templates } of vcenters) {
    const { clock, chance, signal } = io
    const http = httpClient({ clock, trust: settings.trust ?? {} })
    try {
      const wanted = [...new Set([...templates, ...options.template])]
      const found = await doctor({ settings, http, clock, chance, log: silentLog, templates: wanted }, signal)
      // By section, not by host: two may name one vCenter, and this is where it is put right.
      checks.push(...(vcenters.length === 1 ? found : found.map(check => ({ ...check, what: `[${section}] ${check.what}` }))))
    } finally {
      await http.close()
    }
  }
  const failed = checks.filter(({ ok }) => !ok)
  io.out(options.output === 'json' ? `${JSON.stringify({ ok: failed.length === 0, checks }, null, 2)}\n` : checkReport(checks, io.columns))
  return failed.length === 0 ? exitCodes.ok : exitCodes.failed
}
