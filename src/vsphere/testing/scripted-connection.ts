import { Secret, seededChance, silentLog, VirtualClock } from '../../ports/index.ts'
import { VsphereConnection } from '../connection.ts'
import type { VsphereSettings } from '../settings.ts'
import { preliminaries, scriptedVcenter, type Scripted } from './scripted-vcenter.ts'

/** A connection to a vCenter that answers as its script says; what the script leaves out is answered as by any vCenter. Not watched. */
export function scriptedConnection(
  script: (method: string, body: string) => Scripted | Promise<Scripted> | undefined,
  settings: Partial<VsphereSettings> = {},
) {
  const clock = new VirtualClock()
  const { http, calls } = scriptedVcenter(clock, (method, body) => script(method, body) ?? preliminaries[method] ?? '')
  const whole = { url: 'https://vcenter', user: 'ann', password: new Secret('x'), ...settings }
  const connection = new VsphereConnection({ settings: whole, http, clock, chance: seededChance(1), log: silentLog })
  return { connection, calls, clock }
}

/** One object of a listing, with its properties. */
export function listed(type: string, id: string, properties: Readonly<Record<string, string>>): string {
  const sets = Object.entries(properties).map(([name, value]) => `<propSet><name>${name}</name>${valueOf(value)}</propSet>`)
  return `<objects><obj type="${type}">${id}</obj>${sets.join('')}</objects>`
}

function valueOf(value: string): string {
  return value.startsWith('<val') ? value : `<val>${value}</val>`
}
