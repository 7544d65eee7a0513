import type { Clock, Log } from '../ports/index.ts'
import type { Cdn, Cds } from './cds/cds.ts'
import type { HatcherySettings } from './settings.ts'

const askEvery = 2_000

/**
 * Where workers send their logs: what the configuration says, and for the rest what CDS says. CDS does not know it before its CDN has
 * signed in; until then whoever asks waits.
 */
export class CdnAddress {
  readonly #settings: HatcherySettings['cdn']
  readonly #cds: Cds
  readonly #clock: Clock
  readonly #log: Log
  #known: Cdn | undefined

  constructor({
    settings,
    cds,
    clock,
    log,
  }: {
    readonly settings: HatcherySettings
    readonly cds: Cds
    readonly clock: Clock
    readonly log: Log
  }) {
    this.#settings = settings.cdn
    this.#cds = cds
    this.#clock = clock
    this.#log = log
    const { url, tcp, tcpTls } = settings.cdn
    if (url !== undefined && tcp !== undefined) this.#known = { http: url, tcp, tcpTls }
  }

  /** Resolves as soon as it is known; it is asked for once. */
  async get(signal: AbortSignal): Promise<Cdn> {
    for (let tries = 1; this.#known === undefined; tries++) {
      const found = await (this.#cds.v2 ?? this.#cds.v1)?.cdn(signal).catch((error: unknown) => {
        signal.throwIfAborted()
        this.#log.warn('CDS could not be asked where its CDN is', { error })
        return undefined
      })
      if (found !== undefined) this.#known = this.#merged(found)
      else {
        if (tries === 1) this.#log.warn('CDS knows of no CDN yet; no worker is started before it does')
        await this.#clock.sleep(askEvery, signal)
      }
    }
    return this.#known
  }

  #merged({ http, tcp, tcpTls }: Cdn): Cdn {
    const { url, tcp: own, tcpTls: ownTls } = this.#settings
    return { http: url ?? http, tcp: own ?? tcp, tcpTls: own === undefined ? tcpTls : ownTls }
  }
}
