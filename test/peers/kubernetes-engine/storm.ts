import { setTimeout as sleep } from 'node:timers/promises'
import type { Informer } from '../../../src/control/index.ts'
import { Nest } from '../../../src/kinds/index.ts'
import { seededChance } from '../../../src/ports/index.ts'
import type { Chance } from '../../../src/ports/index.ts'
import type { Store } from '../../../src/store/index.ts'
import type { Fault, FaultProxy, Passing } from './fault-proxy.ts'

export interface StormOptions {
  /** The store reached without the proxy: what is written and what is true in the end. */
  readonly direct: Store
  readonly namespace: string
  readonly proxy: FaultProxy
  /** Started by the storm; its store goes through the proxy. */
  readonly informer: Informer<Nest>
  /** Refuses what the server would do, all the time. */
  readonly always?: (request: Passing) => Fault | undefined
  /** For how many milliseconds the server is away in the end. */
  readonly away: number
}

/** What was seen while everything went wrong. Contents are `name → revision`. */
export interface Seen {
  /** Objects that were there all the time but not in the informer, for each look at which one was missing. */
  readonly missing: readonly (readonly string[])[]
  readonly looks: number
  /** What the informer holds, what its handlers were told, and what the server has, when all is calm again. */
  readonly held: Readonly<Record<string, string>>
  readonly told: Readonly<Record<string, string>>
  readonly there: Readonly<Record<string, string>>
}

const spec = { eggs: 1, material: 'twig' as const }
const lasting = Array.from({ length: 40 }, (_, index) => `lasting-${index}`)

/** Writers change objects while every kind of fault hits the informer's connection and, at last, the server is gone for a while. */
export async function storm(options: StormOptions): Promise<Seen> {
  const { direct, namespace, informer, proxy, away, always = () => undefined } = options
  const chance = seededChance(20_261_115)
  for (const name of lasting) await direct.create(Nest, { metadata: { namespace, name }, spec })
  proxy.fault = always
  const told: Record<string, string> = {}
  const remember = ({ metadata }: Nest) => void (told[metadata.name] = metadata.resourceVersion ?? '')
  informer.on({ added: remember, changed: remember, removed: ({ metadata }) => void delete told[metadata.name] })
  informer.start()
  await informer.synced

  const missing: string[][] = []
  let looks = 0
  const calm = new AbortController()
  const others = [watchClosely(), ...Array.from({ length: 4 }, (_, writer) => write(writer))]
  await harm(proxy, chance, away, always)
  calm.abort()
  await Promise.all(others)

  const { items } = await direct.list(Nest, { namespace })
  const there = contents(items.map(({ object }) => object))
  await informer.until(() => sameContents(contents(informer.list()), there))
  return { missing, looks, held: contents(informer.list()), told, there }

  async function watchClosely(): Promise<void> {
    for (; !calm.signal.aborted; looks++) {
      const absent = lasting.filter(name => informer.get(`${namespace}/${name}`) === undefined)
      if (absent.length > 0) missing.push(absent)
      await sleep(20)
    }
  }

  /** Creates, changes and deletes objects of its own, and changes the lasting ones. */
  async function write(writer: number): Promise<void> {
    for (let round = 0; !calm.signal.aborted; round++) {
      const mine = { namespace, name: `moving-${writer}-${round % 10}` }
      const lastingOne = { namespace, name: lasting[(writer * 10 + round) % lasting.length] ?? '' }
      await direct.create(Nest, { metadata: mine, spec }).catch(() => {})
      for (const key of [mine, lastingOne]) {
        const object = await direct.get(Nest, key)
        await direct.update(Nest, { ...object, spec: { ...object.spec, eggs: round % 12 } }).catch(() => {})
      }
      if (chance.fraction() < 0.6) await direct.delete(Nest, mine).catch(() => {})
      await sleep(10)
    }
  }
}

async function harm(proxy: FaultProxy, chance: Chance, away: number, always: (request: Passing) => Fault | undefined): Promise<void> {
  const sometimes = (request: Passing): Fault | undefined => {
    const roll = chance.fraction()
    if (!request.watch && roll < 0.2) return 'cut after'
    if (roll < 0.3) return { status: 503 }
    if (roll < 0.4) return { status: 429, retryAfter: 1 }
    return roll < 0.5 ? 'cut before' : always(request)
  }
  for (let round = 0; round < 4; round++) {
    proxy.fault = sometimes
    proxy.truncateStreams()
    await sleep(700)
    proxy.fault = always
    await streaming(proxy)
    proxy.expireStreams()
    await sleep(500)
    proxy.fault = sometimes
    proxy.cutAll()
    await sleep(500)
  }
  proxy.fault = always
  await proxy.goAway()
  await sleep(away)
  await proxy.comeBack()
  await streaming(proxy)
}

/** Resolves when a watch runs again. */
async function streaming(proxy: FaultProxy): Promise<void> {
  while (proxy.streams === 0) await sleep(50)
}

function contents(objects: readonly Nest[]): Record<string, string> {
  return Object.fromEntries(objects.map(({ metadata }) => [metadata.name, metadata.resourceVersion ?? '']))
}

function sameContents(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every(name => a[name] === b[name])
}
