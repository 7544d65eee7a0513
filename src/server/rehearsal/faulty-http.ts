import { type Chance, type Clock, type HttpClient, type HttpResponse, Unreachable } from '../../ports/index.ts'
import type { Weather } from './scene.ts'

/** What goes wrong between a client and CDS. */
export interface FaultyHttpOptions {
  readonly clock: Clock
  readonly chance: Chance
  readonly rates: Weather['cds']
}

/** What a proxy says whose server is being restarted. */
const badGateway: HttpResponse = { status: 502, headers: {}, body: new Uint8Array(), text: () => '' }

/** The same client, whose calls fail at random: before their effect, after it, by never answering, or with an answer that is none. */
export function faultyHttp(http: HttpClient, { clock, chance, rates }: FaultyHttpOptions): HttpClient {
  const draw = () => {
    let left = chance.fraction()
    return (['before', 'after', 'hang', 'refused'] as const).find(fault => (left -= rates[fault] ?? 0) < 0)
  }
  return {
    ...http,
    send: async request => {
      const fault = draw()
      if (fault === undefined) return await http.send(request)
      if (fault === 'refused') return badGateway
      const lost = (sent: boolean) => Unreachable({ target: new URL(request.url).origin, why: `rehearsed fault ${fault}`, sent })
      if (fault === 'before') throw lost(false)
      if (fault === 'after' || chance.fraction() < 0.5) await http.send(request)
      if (fault === 'hang') await clock.sleep(request.timeout ?? 30_000, request.signal)
      throw lost(true)
    },
  }
}
