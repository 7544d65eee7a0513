import { NotThere, templateAmong } from '../../platform/index.ts'
import { VsphereConnection, type ConnectionOptions } from '../connection.ts'
import { readBelow, type Datacenter, type PlaceKind } from '../places.ts'
import { sdkUrl, type VsphereSettings } from '../settings.ts'
import { isFault, type ServiceContent } from '../soap/session.ts'
import { cardsOf, networkBacking } from '../vim/network-card.ts'
import { readName } from '../vim/object-name.ts'
import { refOf, retrieveOne } from '../vim/property-collector.ts'
import type { Ref } from '../xml/writer.ts'
import { Advice, attempt, attemptAsync, failed, Told, type Check } from './check.ts'
import { missingPrivileges, privileges, type PrivilegePlace } from './privileges.ts'

/** Which templates the configuration names, besides what a connection needs. */
export interface DoctorOptions extends ConnectionOptions {
  readonly settings: VsphereSettings
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
    const visit: Visit = { checks, connection, settings, signal }
    const found = await findPlaces(visit)
    const templates = options.templates ?? []
    const vms = templates.length === 0 ? [] : await allVms(visit, datacenter)
    if (vms !== undefined) for (const name of templates) found.push(...(await checkTemplate(visit, vms, name)))
    for (const each of found) await checkPrivileges(visit, each)
    return checks
  } finally {
    await connection.close()
  }
}

/** What the steps of a check-up share. */
interface Visit {
  readonly checks: Check[]
  readonly connection: VsphereConnection
  readonly settings: VsphereSettings
  readonly signal: AbortSignal
}

interface FoundPlace {
  readonly place: PrivilegePlace
  readonly called: string
  readonly ref: Ref
}

async function findPlaces({ checks, connection, settings }: Visit): Promise<FoundPlace[]> {
  const found: FoundPlace[] = []
  for (const { kind, breaks } of places) {
    const name = settings[kind]
    // A clone stays on its template's datastore and network if none is named.
    if (name === undefined && (kind === 'datastore' || kind === 'network')) continue
    const called = named(kind, name)
    const ref = await attemptAsync(checks, called, breaks, () => connection.places.find(kind, name))
    if (ref === undefined) continue
    found.push({ place: kind, called, ref })
    if (kind === 'datastore') await attemptAsync(checks, `${called}: room for disks`, breaks, () => datastoreState(connection, called, ref))
    if (ref.type === 'DistributedVirtualPortgroup')
      await attemptAsync(checks, `${called}: its switch`, breaks, () => switchCanBeRead(connection, called, ref))
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

/** A card is put on a distributed network by the identifier of its switch, which an account may not see that sees the network. */
async function switchCanBeRead({ session }: VsphereConnection, called: string, ref: Ref): Promise<void> {
  try {
    await networkBacking(session, ref, called)
  } catch (error) {
    if (!NotThere.is(error) && !isFault(error, 'NoPermission')) throw error
    throw new Advice('the account cannot read it', `give it the role "Read-only" on the distributed switch of ${called}`)
  }
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

interface ListedVm {
  readonly ref: Ref
  readonly name: string
  readonly template: boolean
}

/** Every VM and template; undefined if they cannot be listed, which is a check then. */
async function allVms(
  { checks, connection: { session }, signal }: Visit,
  { folders }: Datacenter,
): Promise<readonly ListedVm[] | undefined> {
  try {
    const found = await readBelow(session, folders.get('vmFolder') as Ref, ['VirtualMachine'], ['name', 'config.template'], signal)
    return found.map(({ ref, properties }) => ({
      ref,
      name: readName(properties.get('name')?.text ?? ''),
      template: properties.get('config.template')?.text === 'true',
    }))
  } catch (error) {
    checks.push(failed('listing VMs and templates', 'what is there is not known, so nothing is done', error))
    return undefined
  }
}

/** The template, and the places that its clones stay in because the configuration names no others. */
async function checkTemplate(
  { checks, connection: { session }, settings, signal }: Visit,
  vms: readonly ListedVm[],
  name: string,
): Promise<readonly FoundPlace[]> {
  const what = `template ${name}`
  const breaks = 'jobs and pools that use it get no VM'
  const found = await attemptAsync(checks, what, breaks, async () => {
    const vm = templateAmong(vms.filter(each => each.name === name))
    if (vm === undefined)
      throw new Advice(`there is no VM or template "${name}" in the datacenter`, 'check the spelling, and whether the account may see it')
    if (!vm.template) throw new Advice(`"${name}" is a VM, not a template`, `power it off and convert it to a template in vCenter`)
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
  { checks, connection: { session }, settings, signal }: Visit,
  { place, called, ref }: FoundPlace,
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

function named(kind: string, name: string | undefined): string {
  const word = kind.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return name === undefined ? `the ${word}` : `${word} ${name}`
}
