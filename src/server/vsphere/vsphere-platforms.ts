import type { HttpClient } from '../../ports/index.ts'
import { AddressAuthority, addressMetrics, governed, Governor, KnownHosts, measured, operationRows } from '../../platform/index.ts'
import type { AddressNetwork, GovernorLimits, OperationRow, Platform } from '../../platform/index.ts'
import type { Store } from '../../store/index.ts'
import { sdkUrl, VsphereConnection, VspherePlatform } from '../../vsphere/index.ts'
import type { ConnectionOptions, VsphereSettings } from '../../vsphere/index.ts'
import { VcenterSettingsDiffer } from '../errors.ts'
import type { Ports } from '../ports.ts'

/** What the platforms are made of. */
export interface VspherePlatformsOptions {
  readonly ports: Pick<Ports, 'clock' | 'chance' | 'log' | 'metrics' | 'http'>
  /** Where leases of addresses are kept. */
  readonly store: Store
  readonly limits?: Partial<GovernorLimits>
}

/** All that rests on one sign-in: one session, however many services and datacenters. */
interface Account {
  readonly settings: VsphereSettings
  readonly http: HttpClient
  readonly governor: Governor
  readonly hosts: KnownHosts
  /** By datacenter, in the order in which they were asked for: the first holds the session. */
  readonly datacenters: Map<string, Datacenter>
}

interface Datacenter {
  readonly connection: VsphereConnection
  readonly addresses: Map<string, AddressAuthority>
}

/**
 * The vCenters that services use. Who names the same vCenter and user gets the same session, live inventory, governor and address
 * leases, whatever else differs: folder, pool, datastore and network are each service's own, and so is its place in the queue.
 */
export class VspherePlatforms implements AsyncDisposable {
  readonly #options: VspherePlatformsOptions
  readonly #accounts = new Map<string, Account>()
  /** Ends what metrics show of them. */
  readonly #ending = new AbortController()

  constructor(options: VspherePlatformsOptions) {
    this.#options = options
  }

  /**
   * The vCenter as a platform, for `owner`. Signs in with the first who asks, and does not wait for it: `inventory.whenLive` does.
   * Closing it does nothing, because others may use it. With `canWait` it is for work that nobody waits for: everybody else goes
   * before it. Throws `SettingNotValid`, `TrustNotValid` or `VcenterSettingsDiffer`.
   */
  platformFor(settings: VsphereSettings, owner: string, { canWait = false } = {}): Platform {
    const { governor } = this.#account(settings)
    const { connection } = this.#datacenter(settings)
    const platform = measured(new VspherePlatform(connection, settings), this.#options.ports)
    return { ...governed(platform, governor, owner, { canWait }), close: async () => {} }
  }

  /** Who gives out the addresses of these networks on that vCenter: one authority for all who name the same ones. */
  addressesFor(settings: VsphereSettings, networks: readonly AddressNetwork[]): AddressAuthority {
    const { ports, store } = this.#options
    const { connection, addresses } = this.#datacenter(settings)
    const key = JSON.stringify(networks.map(({ name, ranges }) => [name, ranges]))
    let authority = addresses.get(key)
    if (authority === undefined) {
      const platform = new VspherePlatform(connection)
      const part = async () => (await connection.places.datacenter()).ref.id
      authority = new AddressAuthority({ store, platform, part, networks, clock: ports.clock, chance: ports.chance, log: ports.log })
      addressMetrics(ports.metrics, platform.name, authority, this.#ending.signal)
      authority.start()
      addresses.set(key, authority)
    }
    return authority
  }

  /** What goes on on all vCenters, and what is held back and why. */
  operations(): readonly OperationRow[] {
    return [...this.#accounts.values()].flatMap(({ governor, datacenters }) => {
      const inventories = Array.from(datacenters.values(), ({ connection }) => connection.inventory)
      return operationRows(governor, id => inventories.map(inventory => inventory.lastKnown(id)?.name).find(name => name !== undefined))
    })
  }

  /** Ends watches and signs out everywhere. Tasks under way go on. To be called when all services have stopped. */
  async [Symbol.asyncDispose](): Promise<void> {
    const accounts = [...this.#accounts.values()]
    this.#accounts.clear()
    this.#ending.abort()
    await Promise.all(accounts.map(closeAccount))
  }

  #account(settings: VsphereSettings): Account {
    const { ports, limits } = this.#options
    const key = JSON.stringify([sdkUrl(settings), settings.user])
    const known = this.#accounts.get(key)
    if (known !== undefined) {
      mustAgree(known.settings, settings)
      return known
    }
    const platform = `vCenter ${new URL(sdkUrl(settings)).host}`
    const { clock, metrics } = ports
    const hosts = new KnownHosts()
    const until = this.#ending.signal
    const governor = new Governor({ platform, clock, metrics, until, hosts: () => hosts.count, ...(limits && { limits }) })
    const account: Account = { settings, http: ports.http(settings.trust ?? {}), governor, hosts, datacenters: new Map() }
    this.#accounts.set(key, account)
    return account
  }

  #datacenter(settings: VsphereSettings): Datacenter {
    const { clock, chance, log } = this.#options.ports
    const { http, hosts, datacenters } = this.#account(settings)
    // By what is written, not by what it means: vCenter, which alone knows that, may not answer for a while yet.
    const key = settings.datacenter?.replace(/^\/+|\/+$/g, '') ?? ''
    const known = datacenters.get(key)
    if (known !== undefined) return known
    const [first] = datacenters.values()
    const beside = first === undefined ? {} : { beside: first.connection }
    const connection = new VsphereConnection({ settings: sharedOf(settings), http, clock, chance, log, ...beside }).start()
    hosts.watch(connection.inventory)
    const datacenter: Datacenter = { connection, addresses: new Map() }
    datacenters.set(key, datacenter)
    return datacenter
  }
}

/**
 * What of a service's settings is everybody's, so that its home does not become the home of the others. The pool is only the one whose
 * capacity is watched.
 */
function sharedOf({ url, user, password, trust, datacenter, resourcePool }: VsphereSettings): ConnectionOptions['settings'] {
  return {
    url,
    user,
    password,
    ...(trust !== undefined && { trust }),
    ...(datacenter !== undefined && { datacenter }),
    ...(resourcePool !== undefined && { resourcePool }),
  }
}

/** One account cannot have two passwords, and what is trusted is decided when the first signs in. */
function mustAgree(known: VsphereSettings, settings: VsphereSettings): void {
  const { url, user } = settings
  if (!known.password.equals(settings.password.reveal())) throw VcenterSettingsDiffer({ vcenter: url, user, field: 'password' })
  for (const field of ['ca', 'thumbprint', 'serverName'] as const) {
    if (known.trust?.[field] !== settings.trust?.[field]) throw VcenterSettingsDiffer({ vcenter: url, user, field })
  }
}

async function closeAccount({ datacenters, http }: Account): Promise<void> {
  for (const { addresses } of datacenters.values()) for (const authority of addresses.values()) await authority.stop()
  // The one that holds the session last.
  for (const { connection } of [...datacenters.values()].toReversed()) await connection.close()
  await http.close()
}
