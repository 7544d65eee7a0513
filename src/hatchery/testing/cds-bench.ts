import {
  type HttpHandler,
  recordingLog,
  Secret,
  seededChance,
  type ServedRequest,
  simulatedHttp,
  simulatedWebSockets,
  VirtualClock,
  type WebSocketHandler,
} from '../../ports/index.ts'
import { SimulatedCds } from '../../simulation/index.ts'
import { type CdsOptions, connectCds, type ConnectedCds } from '../cds/connect.ts'
import type { HatcherySettings } from '../settings.ts'
import { testRsaKey } from './operator-file.ts'
import { plainSettings } from './plain-settings.ts'

/** What a bench begins with. */
export interface CdsBenchOptions {
  readonly settings?: Partial<HatcherySettings>
  /** Which sides have a token. Default both. */
  readonly sides?: readonly (1 | 2)[]
  /** Answers in place of the simulated CDS; undefined leaves it to that. */
  readonly answer?: (request: ServedRequest, cds: SimulatedCds) => ReturnType<HttpHandler> | undefined
  /** Accepts web sockets in its place. */
  readonly accept?: WebSocketHandler
}

/** A hatchery named `aviary` before a simulated CDS, with everything that it sends kept. */
export class CdsBench {
  readonly clock = new VirtualClock()
  readonly log = recordingLog()
  readonly requests: ServedRequest[] = []
  readonly upgrades: ServedRequest[] = []
  readonly simulated: SimulatedCds
  readonly settings: HatcherySettings
  /** What `cds` was connected with. */
  readonly options: CdsOptions
  readonly cds: ConnectedCds

  constructor({ settings = {}, sides = [1, 2], answer = () => undefined, accept }: CdsBenchOptions = {}) {
    const { clock, log } = this
    const chance = seededChance('a hatchery')
    this.simulated = new SimulatedCds({ clock, chance: seededChance('a CDS') })
    const given = plainSettings(settings)
    const { region, ignoreJobWithNoRegion } = given.provision
    const v1 = this.simulated.addHatcheryV1({
      name: 'aviary',
      ...(region !== '' && { region }),
      ...(ignoreJobWithNoRegion && { ignoreJobWithNoRegion }),
    })
    const v2 = this.simulated.addHatcheryV2({ name: 'aviary', region: 'north' })
    const token = (version: 1 | 2, text: string) => (sides.includes(version) ? new Secret(text) : undefined)
    this.settings = {
      ...given,
      key: new Secret(testRsaKey()),
      api: { ...given.api, tokenV1: token(1, v1), tokenV2: token(2, v2), ...settings.api },
    }
    const handler: HttpHandler = request => {
      this.requests.push(request)
      return answer(request, this.simulated) ?? this.simulated.handler(request)
    }
    const webSocketHandler: WebSocketHandler = (request, socket) => {
      this.upgrades.push(request)
      return (accept ?? this.simulated.webSocketHandler)(request, socket)
    }
    const http = simulatedHttp(handler, { clock })
    const webSockets = simulatedWebSockets(webSocketHandler, { clock })
    this.options = { settings: this.settings, http, webSockets, clock, chance, log, hostname: 'nest1' }
    this.cds = connectCds(this.options)
  }

  get v1(): NonNullable<ConnectedCds['v1']> {
    return this.cds.v1 ?? missing()
  }

  get v2(): NonNullable<ConnectedCds['v2']> {
    return this.cds.v2 ?? missing()
  }

  /** Lets time pass until work has come to its end. */
  async outcome<T>(work: Promise<T>, milliseconds = 60_000): Promise<T> {
    const settled = work.then(
      value => () => value,
      (error: unknown) => () => {
        throw error
      },
    )
    await this.clock.advance(milliseconds)
    return (await settled)()
  }

  /** The requests of one path, or all but the sign-ins. */
  sent(path?: string): readonly ServedRequest[] {
    return this.requests.filter(({ url }) => (path === undefined ? !url.pathname.endsWith('/signin') : url.pathname === path))
  }
}

/** A signal that nobody aborts. */
export const { signal: never } = new AbortController()

function missing(): never {
  throw new Error('this side has no token')
}
