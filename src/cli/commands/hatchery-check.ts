import { apiTrust, checkSignIns, effectiveConfiguration, templatesNamed, vcenterSettings } from '../../hatchery/index.ts'
import type { HatcherySettings } from '../../hatchery/index.ts'
import { httpClient, realWebSockets, silentLog } from '../../ports/index.ts'
import { loadConfig, problemLine } from '../../server/index.ts'
import { doctor } from '../../vsphere/index.ts'
import type { Check } from '../../vsphere/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { hatcheryIn } from '../hatchery-settings.ts'
import type { Io } from '../io.ts'
import { checkReport } from '../output/check-report.ts'

interface CheckOptions {
  readonly config: string
  readonly offline?: boolean
}

/** `aviary hatchery check`: what is in force, what may not be meant so, whether CDS lets it in, and whether the vCenter has and allows it. */
export async function run(_args: readonly string[], { config: file, offline }: CheckOptions, io: Io): Promise<number> {
  const { files, environment, folder } = io
  const warnings: string[] = []
  const config = await loadConfig(file, { files, environment, folder, warn: warning => void warnings.push(problemLine(file, warning)) })
  const settings = hatcheryIn(config, file)
  io.out(effectiveConfiguration(settings))
  io.out(
    warnings.length === 0 ? '\nNothing to warn of.\n' : `\n${counted(warnings.length)}:\n${warnings.map(each => `  ${each}\n`).join('')}`,
  )
  if (offline === true) return exitCodes.ok

  const checks = (await Promise.all([checkCds(settings, io), checkVcenter(settings, io)])).flat()
  io.out(`\n${checkReport(checks, io.columns)}`)
  return checks.every(({ ok }) => ok) ? exitCodes.ok : exitCodes.failed
}

async function checkCds(settings: HatcherySettings, { clock, chance, signal }: Io): Promise<readonly Check[]> {
  const trust = apiTrust(settings.api)
  const http = httpClient({ clock, trust })
  try {
    return await checkSignIns({ settings, http, webSockets: realWebSockets({ clock, trust }), clock, chance, log: silentLog }, signal)
  } finally {
    await http.close()
  }
}

async function checkVcenter(settings: HatcherySettings, { clock, chance, signal }: Io): Promise<readonly Check[]> {
  const vcenter = vcenterSettings(settings)
  const http = httpClient({ clock, trust: vcenter.trust ?? {} })
  try {
    return await doctor({ settings: vcenter, http, clock, chance, log: silentLog, templates: templatesNamed(settings) }, signal)
  } finally {
    await http.close()
  }
}

function counted(warnings: number): string {
  return warnings === 1 ? '1 warning' : `${warnings} warnings`
}
