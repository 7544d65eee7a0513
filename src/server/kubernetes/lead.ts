import { hostname } from 'node:os'
import { aborted } from '../../ports/index.ts'
import { runElection, startControllers } from '../../control/index.ts'
import type { Controller } from '../../control/index.ts'
import type { Store } from '../../store/index.ts'
import type { Config } from '../config/sections.ts'
import type { Ports } from '../ports.ts'

/** The work, and how replicas agree on who does it. */
export interface LeadOptions {
  readonly store: Store
  readonly controllers: readonly Controller[]
  readonly settings: Config['engine']['leaderElection']
  /** Milliseconds for what is under way when we are asked to stop. */
  readonly within: number
  readonly ports: Ports
}

/** A replica's share in the work: all of it while it leads, none while another does. */
export interface Leading {
  /** For how many milliseconds the cluster has not answered about the lease, which is asked for all the time by leader and others. */
  silence(): number
  /** Ends the work and gives the leadership back, so that another replica need not wait. */
  stop(): Promise<void>
}

/** Milliseconds between two looks whether what watches told is still what the cluster holds. */
const compareEvery = 600_000

/** Competes for the leadership and runs the controllers while it is ours. */
export function leadWhenElected({ store, controllers, settings, within, ports }: LeadOptions): Leading {
  const { clock, chance, log, metrics } = ports
  const { namespace, name, leaseDuration, renewDeadline, retryPeriod } = settings
  const instance = `${hostname()}_${chance.uuid()}`
  const ending = new AbortController()
  const leads = metrics.gauge({ name: 'aviary_leader', help: '1 while this process leads, else 0.' })
  leads.set({}, 0)
  let heardAt = clock.monotonic()
  const heard = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer
    heardAt = clock.monotonic()
    return value
  }
  const campaign = runElection({
    store: {
      get: (kind, key) => heard(store.get(kind, key)),
      create: (kind, draft, options) => heard(store.create(kind, draft, options)),
      update: (kind, object, options) => heard(store.update(kind, object, options)),
    },
    clock,
    chance,
    log,
    lease: { namespace, name },
    identity: instance,
    dials: { lease: leaseDuration, renew: renewDeadline, retry: retryPeriod },
    signal: ending.signal,
    lead: async (leadership, stop) => {
      const running = startControllers({
        store,
        clock,
        chance,
        log,
        metrics,
        controllers,
        instance,
        compareEvery,
        fence: () => leadership.fence(),
      })
      leads.set({}, 1)
      await aborted(AbortSignal.any([leadership.signal, stop]))
      leads.set({}, 0)
      // Who is only asked to stop keeps the lease until all has come to rest; who lost it has no time to give.
      await running.stop({ within: leadership.signal.aborted ? 0 : within })
    },
  })
  return {
    silence: () => clock.monotonic() - heardAt,
    stop: async () => {
      ending.abort()
      await campaign
    },
  }
}
