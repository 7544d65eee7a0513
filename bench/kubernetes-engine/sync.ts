/**
 * sync.ts KUBECONFIG: how long the engine takes to list all Nests into an informer, and the memory it then holds, as one line of
 * JSON. The counterpart of client-go/main.go; run with --expose-gc.
 */
import { Informer } from '../../src/control/index.ts'
import { Nest } from '../../src/kinds/index.ts'
import { realChance, realClock, silentLog } from '../../src/ports/index.ts'
import { engineFrom } from '../../test/peers/kubernetes-engine/engine.ts'

const { store, close } = await engineFrom(process.argv[2] ?? '')
const informer = new Informer({ store, kind: Nest, clock: realClock(), chance: realChance(), log: silentLog })
const began = performance.now()
const used = process.cpuUsage()
informer.start()
await informer.synced
const milliseconds = performance.now() - began
const { user, system } = process.cpuUsage(used)
globalThis.gc?.()
const residentBytes = process.memoryUsage.rss()
console.log(JSON.stringify({ objects: informer.size, milliseconds, cpuMilliseconds: (user + system) / 1000, residentBytes }))
await informer.stop()
await close()
