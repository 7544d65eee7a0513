/**
 * writer.ts FOLDER SEED FILE: writes to the store of a folder with many writers until it is killed, and adds a line to FILE for each
 * write that was acknowledged. Says `open` when it begins. Each object is made, changed again and again, and in the end kept or removed, as
 * its name says, so that all kinds of rows are on the way when the end comes.
 */
import { openSync, writeSync } from 'node:fs'
import { allKinds, Namespace, Nest } from '../../../src/kinds/index.ts'
import { realClock, seededChance, silentLog } from '../../../src/ports/index.ts'
import { openSqliteStore, StoreError } from '../../../src/store/index.ts'

const [folder = '', seed = '', file = ''] = process.argv.slice(2)
const book = openSync(file, 'a')
const chance = seededChance(seed)
// A short history, so that rows are superseded and removed all the time.
const window = { fewest: 0, age: 0, most: 200, bytes: 1_000_000 }
const store = await openSqliteStore({ folder, kinds: allKinds, clock: realClock(), chance, log: silentLog, window })
await store.create(Namespace, { metadata: { name: 'here' }, spec: {} }).catch((error: unknown) => {
  if (!StoreError.is(error, 'AlreadyExists')) throw error
})
process.stdout.write('open\n')

for (let writer = 0; writer < 48; writer++) void write(writer)

async function write(writer: number): Promise<void> {
  for (let turn = 0; ; turn++) {
    const name = `${seed}-w${writer}-${turn}-${turn % 2 === 0 ? 'kept' : 'removed'}`
    const filler = 'x'.repeat(chance.integer(0, 4000))
    const annotations = { value: '0', filler, length: String(filler.length) }
    let nest = await store.create(Nest, { metadata: { namespace: 'here', name, annotations }, spec: { eggs: 0, material: 'twig' } })
    acknowledged(nest)
    for (let value = 1; value < 6; value++) {
      nest = await store.update(Nest, { ...nest, metadata: { ...nest.metadata, annotations: { ...annotations, value: String(value) } } })
      acknowledged(nest)
    }
    if (name.endsWith('kept')) continue
    const { object } = await store.delete(Nest, { namespace: 'here', name })
    say(`${name} ${object.metadata.resourceVersion} gone`)
  }
}

function acknowledged({ metadata }: Nest): void {
  say(`${metadata.name} ${metadata.resourceVersion} ${metadata.annotations!['value']}`)
}

/** At once and without a buffer: what was said is in the file, whoever is killed next. */
function say(line: string): void {
  writeSync(book, `${line}\n`)
}
