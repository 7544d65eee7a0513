/** etcd-child.ts WORKLOAD ADDRESS OBJECTS COUNT WRITERS: one round on an empty etcd; prints what it measured. */
import type { Nest } from '../../src/kinds/index.ts'
import { percentile } from '../frame/median.ts'
import { EtcdClient } from './etcd-client.ts'
import { load } from './load.ts'
import { nestText } from './objects.ts'

const [workload, address = '', ...numbers] = process.argv.slice(2)
const [objects = 0, count = 0, writers = 1] = numbers.map(Number)
const etcd = new EtcdClient(address)
const prefix = '/registry/nests/bench/'

const create = async (number: number) => {
  if (!(await etcd.putIf(`${prefix}nest-${number}`, nestText(number), 0))) throw new Error('the key was taken')
}
const compareAndSwap = async (number: number) => {
  const key = `${prefix}nest-${number % objects}`
  const { value, modRevision } = (await etcd.get(key))!
  const nest = JSON.parse(value.toString()) as Nest
  const next = { ...nest, spec: { ...nest.spec, eggs: (nest.spec.eggs + 1) % 12 } }
  if (!(await etcd.putIf(key, JSON.stringify(next), modRevision))) throw new Error('somebody else was faster')
}
/** There is no index: everything is read, and the client chooses. */
const listByLabel = async (number: number) => {
  const all = (await etcd.list(prefix)).map(({ value }) => JSON.parse(value.toString()) as Nest)
  const found = all.filter(({ metadata }) => metadata.labels?.['owner'] === `team-${number % 50}`)
  if (found.length !== objects / 50) throw new Error('the list is not complete')
}

await load(workload === 'create' ? objects - count : objects, 256, create)
const work = { create: (number: number) => create(objects - count + number), cas: compareAndSwap, list: listByLabel }[workload as 'create']
// Creates are warmed up by those before; other work is not, and compiling it is not what is measured.
if (workload === 'cas') await load(objects, writers, work)
globalThis.gc?.()
const { perSecond, latencies, cpuMicroseconds } = await load(count, writers, work)
const bytes = (await etcd.get(`${prefix}nest-1`))!.value.length
console.log(JSON.stringify({ perSecond, p99: percentile(latencies, 0.99), cpuMicroseconds, bytes }))
etcd.close()
