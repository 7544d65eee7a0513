import { Failure } from '../../ports/index.ts'
import { VsphereConnection, type ConnectionOptions } from '../connection.ts'
import { readBelow, type Datacenter, type PlaceKind } from '../places.ts'
import { sdkUrl } from '../settings.ts'
import { isFault, type ServiceContent } from '../soap/session.ts'
import { cardsOf } from '../vim/network-card.ts'
import { readName } from '../vim/object-name.ts'
import { refOf, retrieveOne } from '../vim/property-collector.ts'
import type { Ref } from '../xml/writer.ts'
import { missingPrivileges, privileges, type PrivilegePlace } from './privileges.ts'

/** One thing that must be so. */
export interface Check {
  readonly what: string
  readonly ok: boolean
  /** What was found, if it is worth telling. */
  readonly found?: string
  /** If not ok: what does not work because of it, and what to do. */
  readonly breaks?: string
  readonly fix?: string
}

/** Which templates the configuration names, besides what a connection needs. */
export interface DoctorOptions extends ConnectionOptions {
  readonly templates?: readonly string[]
}

/** Places of the configuration, and what does not work without each. */
const places: readonly { readonly kind: PlaceKind; readonly breaks: string }[] = [
  { kind: 'folder', breaks: 'no VM can be made' },
  { kind: 'resourcePool', breaks: 'no VM can run, and free capacity is not known' },
  { kind: 'datastore', breaks: 'VMs get no disks' },
  { kind: 'network', breaks: 'VMs are not on the network' },
]

/** Looks whether everything that the configuration needs is there and allowed. Changes nothing, and does not reject: what fails is a check. */
export async function doctor(options: DoctorOptions, signal: AbortSignal): Promise<readonly Check[]> {
  const checks: Check[] = []
  const { settings } = options
  if (!attempt(checks, 'the URL of the vCenter', 'nothing works', () => sdkUrl(settings))) return checks
  const connection = new VsphereConnection(options)
  try {
    const content = await attemptAsync(checks, `signing in to ${connection.name} as ${settings.user}`, 'nothing works', () =>
      connection.session.content(signal),
    )
    if (content === undefined) return checks
    if (!checkVersion(checks, content)) return checks
    const datacenter = await attemptAsync(checks, named('datacenter', settings.datacenter), 'nothing can be found or made', () =>
      connection.places.datacenter(),
    )
    if (datacenter === undefined) return checks
    const found = await findPlaces(checks, connection)
    const templates = options.templates ?? []
    const vms = templates.length === 0 ? [] : await allVms(checks, connection, datacenter, signal)
    if (vms !== undefined) for (const name of templates) found.push(...(await checkTemplate(checks, connection, vms, name, signal)))
    for (const { place, called, ref } of found) await checkPrivileges(checks, connection, place, called, ref, signal)
    return checks
  } finally {
    await connection.close()
  }
}

interface FoundPlace {
  readonly place: PrivilegePlace
  readonly called: string
  readonly ref: Ref
}

async function findPlaces(checks: Check[], connection: VsphereConnection): Promise<FoundPlace[]> {
  const found: FoundPlace[] = []
  for (const { kind, breaks } of places) {
    const name = connection.settings[kind]
    // A clone stays on its template's datastore and network if none is named.
    if (name === undefined && (kind === 'datastore' || kind === 'network')) continue
    const called = named(kind, name)
    const ref = await attemptAsync(checks, called, breaks, () => connection.places.find(kind, name))
    if (ref === undefined) continue
    found.push({ place: kind, called, ref })
    if (kind === 'datastore') await attemptAsync(checks, `${called}: room for disks`, breaks, () => datastoreState(connection, called, ref))
  }
  return found
}

/** How much room a datastore has, if it can be used at all. */
async function datastoreState({ session }: VsphereConnection, called: string, ref: Ref): Promise<Told> {
  const properties = await retrieveOne(session, ref, ['summary.accessible', 'summary.maintenanceMode', 'summary.freeSpace'])
  const told = (path: string) => properties?.get(`summary.${path}`)?.text
  if (told('accessible') === 'false') throw new Advice('no host can reach it', `bring ${called} back in vCenter, or name another`)
  if ((told('maintenanceMode') ?? 'normal') !== 'normal') throw new Advice('it is in maintenance', `end it in vCenter, or name another`)
  return new Told(`${Math.floor(Number(told('freeSpace') ?? 0) / 2 ** 30)} GB free`)
}

/** What answers must be a vCenter, and of a version that speaks as this program does. */
function checkVersion(checks: Check[], { fullName, version, apiType }: ServiceContent): boolean {
  const found = fullName === '' ? version : fullName
  const [what, breaks] = ['the version of the vCenter', 'no VM can be made']
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < 6 || (major === 6 && minor < 5)
  if (apiType === 'HostAgent')
    checks.push({
      what,
      ok: false,
      found,
      breaks,
      fix: 'this is a single host, which cannot clone: give the URL of the vCenter that manages it',
    })
  else if (isOld) checks.push({ what, ok: false, found, breaks, fix: 'use vCenter 6.5 or later' })
  else checks.push({ what, ok: true, found })
  return checks.at(-1)?.ok === true
}

type Listed = Awaited<ReturnType<typeof readBelow>>

/** Every VM and template by name; undefined if they cannot be listed, which is a check then. */
async function allVms(
  checks: Check[],
  { session }: VsphereConnection,
  { folders }: Datacenter,
  signal: AbortSignal,
): Promise<Listed | undefined> {
  try {
    return await readBelow(session, folders.get('vmFolder') as Ref, ['VirtualMachine'], ['name', 'config.template'], signal)
  } catch (error) {
    checks.push(failed('listing VMs and templates', 'what is there is not known, so nothing is done', error))
    return undefined
  }
}

/** The template, and the places that its clones stay in because the configuration names no others. */
async function checkTemplate(
  checks: Check[],
  { session, settings }: VsphereConnection,
  vms: Listed,
  name: string,
  signal: AbortSignal,
): Promise<readonly FoundPlace[]> {
  const what = `template ${name}`
  const breaks = 'jobs and pools that use it get no VM'
  const found = await attemptAsync(checks, what, breaks, async () => {
    const vm = vms.find(({ properties }) => readName(properties.get('name')?.text ?? '') === name)
    if (vm === undefined)
      throw new Advice(`there is no VM or template "${name}" in the datacenter`, 'check the spelling, and whether the account may see it')
    if (vm.properties.get('config.template')?.text !== 'true') {
      throw new Advice(`"${name}" is a VM, not a template`, `power it off and convert it to a template in vCenter`)
    }
    const paths = ['config.hardware.device', 'snapshot.currentSnapshot', 'datastore', 'network']
    const details = await retrieveOne(session, vm.ref, paths, signal)
    const cards = cardsOf(details?.get('config.hardware.device')).length
    checks.push({
      what: `${what}: a snapshot for linked clones`,
      ok: true,
      found: details?.has('snapshot.currentSnapshot')
        ? `yes (${refOf(details.get('snapshot.currentSnapshot')).id})`
        : 'none: clones copy its disk, which is slower and takes more room',
    })
    if (cards === 0) throw new Advice(`"${name}" has no network card`, 'add one to the template, so that guests can be reached')
    const own = (['datastore', 'network'] as const).flatMap(place => {
      const refs = settings[place] === undefined ? (details?.get(place)?.children ?? []) : []
      return refs.map(ref => ({ place, called: `the ${place} of ${what}`, ref: refOf(ref) }))
    })
    return [{ place: 'template' as const, called: what, ref: vm.ref }, ...own]
  })
  return found ?? []
}

async function checkPrivileges(
  checks: Check[],
  { session, settings }: VsphereConnection,
  place: PrivilegePlace,
  called: string,
  ref: Ref,
  signal: AbortSignal,
): Promise<void> {
  const needed = privileges.filter(privilege => privilege.on === place)
  try {
    const missing = await missingPrivileges(
      session,
      ref,
      needed.map(({ id }) => id),
      signal,
    )
    for (const { id, breaks } of needed) {
      const what = `privilege ${id} on ${called}`
      if (!missing.has(id)) checks.push({ what, ok: true })
      else
        checks.push({
          what,
          ok: false,
          breaks,
          fix: `give a role with ${id} to ${settings.user} on ${called}, with "propagate to children"`,
        })
    }
  } catch (error) {
    const fix = isFault(error, 'NoPermission', 'NotSupported', 'MethodNotFound') ? 'let an administrator check them' : undefined
    const problem = failed(`privileges on ${called}`, 'which privileges are missing is not known', error)
    checks.push(fix === undefined ? problem : { ...problem, fix })
  }
}

/** What a check found that is worth telling although all is well. */
class Told {
  readonly found: string

  constructor(found: string) {
    this.found = found
  }
}

/** What a check found wrong by itself. */
class Advice extends Error {
  readonly fix: string

  constructor(message: string, fix: string) {
    super(message)
    this.fix = fix
  }
}

function named(kind: string, name: string | undefined): string {
  const word = kind.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return name === undefined ? `the ${word}` : `${word} ${name}`
}

function attempt<T>(checks: Check[], what: string, breaks: string, look: () => T): T | undefined {
  try {
    const result = look()
    checks.push({ what, ok: true })
    return result
  } catch (error) {
    checks.push(failed(what, breaks, error))
    return undefined
  }
}

async function attemptAsync<T>(checks: Check[], what: string, breaks: string, look: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await look()
    checks.push({ what, ok: true, ...(result instanceof Told && { found: result.found }) })
    return result
  } catch (error) {
    checks.push(failed(what, breaks, error))
    return undefined
  }
}

function failed(what: string, breaks: string, error: unknown): Check {
  const fix = error instanceof Failure || error instanceof Advice ? error.fix : undefined
  const found = error instanceof Error ? error.message : String(error)
  return { what, ok: false, found, breaks, fix: fix ?? 'see what was found' }
}
