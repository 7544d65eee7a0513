import { Failure } from '../../ports/index.ts'
import { VsphereConnection, type ConnectionOptions } from '../connection.ts'
import type { PlaceKind } from '../places.ts'
import { sdkUrl } from '../settings.ts'
import { isFault } from '../soap/session.ts'
import { cardsOf } from '../vim/network-card.ts'
import { readName } from '../vim/object-name.ts'
import { refOf, retrieve } from '../vim/property-collector.ts'
import { containerView } from '../places.ts'
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
    checks.push({ what: 'the version of the vCenter', ok: true, found: content.fullName === '' ? content.version : content.fullName })
    const datacenter = await attemptAsync(checks, named('datacenter', settings.datacenter), 'nothing can be found or made', () =>
      connection.places.datacenter(),
    )
    if (datacenter === undefined) return checks
    const found = await findPlaces(checks, connection)
    for (const name of options.templates ?? []) {
      const template = await checkTemplate(checks, connection, datacenter.folders.get('vmFolder') as Ref, name, signal)
      if (template !== undefined) found.push({ place: 'template', called: `template ${name}`, ref: template })
    }
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
    if (ref !== undefined) found.push({ place: kind, called, ref })
  }
  return found
}

async function checkTemplate(
  checks: Check[],
  { session }: VsphereConnection,
  folder: Ref,
  name: string,
  signal: AbortSignal,
): Promise<Ref | undefined> {
  const what = `template ${name}`
  const breaks = 'jobs and pools that use it get no VM'
  return attemptAsync(checks, what, breaks, async () => {
    const view = await containerView(session, folder, ['VirtualMachine'])
    const paths = ['name', 'config.template']
    const all = await retrieve(session, { type: 'VirtualMachine', paths, from: view, through: 'view' }, signal)
    await session.call('DestroyView', view)
    const vm = all.find(({ properties }) => readName(properties.get('name')?.text ?? '') === name)
    if (vm === undefined)
      throw new Advice(`there is no VM or template "${name}" in the datacenter`, 'check the spelling, and whether the account may see it')
    if (vm.properties.get('config.template')?.text !== 'true') {
      throw new Advice(`"${name}" is a VM, not a template`, `power it off and convert it to a template in vCenter`)
    }
    const [details] = await retrieve(
      session,
      { type: 'VirtualMachine', paths: ['config.hardware.device', 'snapshot.currentSnapshot'], from: vm.ref },
      signal,
    )
    const cards = cardsOf(details?.properties.get('config.hardware.device')).length
    checks.push({
      what: `${what}: a snapshot for linked clones`,
      ok: true,
      found: details?.properties.has('snapshot.currentSnapshot')
        ? `yes (${refOf(details.properties.get('snapshot.currentSnapshot')).id})`
        : 'none: clones copy its disk, which is slower and takes more room',
    })
    if (cards === 0) throw new Advice(`"${name}" has no network card`, 'add one to the template, so that guests can be reached')
    return vm.ref
  })
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
    if (!isFault(error, 'NoPermission', 'NotSupported', 'MethodNotFound')) throw error
    checks.push({
      what: `privileges on ${called}`,
      ok: false,
      breaks: 'which privileges are missing is not known',
      fix: 'let an administrator check them',
    })
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
    checks.push({ what, ok: true })
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
