import { CustomResourceDefinition } from '../../../kinds/index.ts'
import type { Kind } from '../../../kinds/index.ts'
import type { Clock } from '../../../ports/index.ts'
import { StoreError } from '../../errors.ts'
import { undefinedIf } from '../../undefined-if.ts'
import type { Store } from '../../store.ts'
import { crdPlan } from './crd-plan.ts'
import type { CrdPlan, CrdPlanOptions } from './crd-plan.ts'
import { CrdNotServed, CrdsRefused } from './errors.ts'

export interface InstallCrdsOptions {
  /** A store of the Kubernetes engine. */
  readonly store: Store
  /** Built-in ones are passed over. */
  readonly kinds: readonly Kind[]
  /** The version of this program: CRDs of a newer one are not touched. */
  readonly version: string
  /** Take over CRDs that something else installed. Default false. */
  readonly adopt?: boolean
  readonly clock: Clock
  readonly signal?: AbortSignal
}

/** What was done about one CRD. */
export interface CrdReport {
  /** `nests.demo.aviary.dev` */
  readonly name: string
  readonly outcome: 'created' | 'updated' | 'unchanged'
}

const writeTries = 5
const servedWithin = 60_000
const pollInterval = 250

/**
 * Makes an API server serve kinds: creates their CRDs or brings them up to date, and waits until each is served.
 * Rejects with `CrdsRefused`, before anything is changed, if one belongs to a newer Aviary or to somebody else.
 */
export async function installCrds(options: InstallCrdsOptions): Promise<readonly CrdReport[]> {
  const kinds = options.kinds.filter(kind => !kind.builtIn)
  const planOptions = { version: options.version, adopt: options.adopt ?? false }
  await refuseForeign(options.store, kinds, planOptions)
  const reports: CrdReport[] = []
  for (const kind of kinds) reports.push({ name: crdName(kind), outcome: await install(options.store, kind, planOptions, options.signal) })
  for (const kind of kinds) await served(kind, options)
  return reports
}

async function refuseForeign(store: Store, kinds: readonly Kind[], options: CrdPlanOptions): Promise<void> {
  const plans = await Promise.all(kinds.map(async kind => ({ crd: crdName(kind), plan: await planFor(store, kind, options) })))
  const refusals = plans.flatMap(({ crd, plan }) => (plan.action === 'refuse' ? [{ crd, ...plan }] : []))
  if (refusals.length > 0) throw refused(refusals)
}

function refused(refusals: readonly { readonly crd: string; readonly why: string; readonly cause: 'newer' | 'foreign' }[]) {
  const fix = refusals.some(({ cause }) => cause === 'newer')
    ? 'use the newer Aviary'
    : 'remove these CRDs if nothing else uses them, or take them over with --adopt'
  return CrdsRefused({ refusals: refusals.map(({ crd, why }) => ({ crd, why })), fix })
}

async function install(store: Store, kind: Kind, options: CrdPlanOptions, signal: AbortSignal | undefined): Promise<CrdReport['outcome']> {
  const write = signal === undefined ? {} : { signal }
  for (let tried = 1; ; tried++) {
    const plan = await planFor(store, kind, options)
    try {
      switch (plan.action) {
        case 'keep':
          return 'unchanged'
        case 'refuse':
          throw refused([{ crd: crdName(kind), ...plan }])
        case 'create':
          await store.create(CustomResourceDefinition, plan.draft, write)
          return 'created'
        case 'update':
          await store.update(CustomResourceDefinition, plan.draft, write)
          return 'updated'
      }
    } catch (error) {
      // Another replica that starts at the same moment does the same.
      if (!StoreError.is(error, 'AlreadyExists', 'Conflict') || tried === writeTries) throw error
    }
  }
}

async function planFor(store: Store, kind: Kind, options: CrdPlanOptions): Promise<CrdPlan> {
  return crdPlan(kind, await find(store, kind), options)
}

function find(store: Store, kind: Kind): Promise<CustomResourceDefinition | undefined> {
  return store.get(CustomResourceDefinition, { name: crdName(kind) }).catch(undefinedIf('NotFound'))
}

/** Resolves when objects of the kind can be listed. A server that has accepted a CRD needs a moment until it serves it. */
async function served(kind: Kind, { store, clock, signal }: InstallCrdsOptions): Promise<void> {
  const crd = crdName(kind)
  const end = clock.monotonic() + servedWithin
  for (;;) {
    const conditions = (await find(store, kind))?.status?.conditions ?? []
    const rejected = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False')
    if (rejected !== undefined) {
      throw CrdNotServed({ crd, why: String(rejected['message']), fix: 'another CRD uses one of its names: remove that one first' })
    }
    const established = conditions.some(({ type, status }) => type === 'Established' && status === 'True')
    if (established && (await canList(store, kind))) return
    if (clock.monotonic() >= end)
      throw CrdNotServed({ crd, why: `not after ${servedWithin / 1000} s`, fix: `see kubectl describe crd ${crd}` })
    await clock.sleep(pollInterval, signal)
  }
}

async function canList(store: Store, kind: Kind): Promise<boolean> {
  try {
    await store.list(kind, { limit: 1 })
    return true
  } catch (error) {
    if (StoreError.is(error, 'ServiceUnavailable', 'NotFound')) return false
    throw error
  }
}

function crdName(kind: Kind): string {
  return `${kind.plural}.${kind.group}`
}
