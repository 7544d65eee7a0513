import type { Kind, Resource } from '../../kinds/index.ts'
import type { Selection } from '../../store/index.ts'
import { changes } from '../changes.ts'
import type { Connection, ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { Usage } from '../errors.ts'
import { findObject } from '../find-object.ts'
import type { Io } from '../io.ts'
import { MissingObjects } from '../missing-objects.ts'
import { namedObjects, refuseNamesBeside } from '../object-names.ts'
import type { OutputForm } from '../output/forms.ts'
import { followedText, objectsText } from '../output/objects.ts'
import type { PrintOptions } from '../output/objects.ts'

interface GetOptions extends ConnectionOptions {
  readonly output: OutputForm
  readonly allNamespaces?: boolean
  readonly selector?: string
  readonly fieldSelector?: string
  readonly watch?: boolean
}

/** `aviary get` */
export async function run(args: readonly string[], options: GetOptions, io: Io): Promise<number> {
  const named = namedObjects(args)
  refuseNamesBeside(named, options.selector ?? options.fieldSelector)
  if (options.watch === true && named.length > 1)
    throw Usage({ what: 'objects of several kinds cannot be followed at once', fix: 'follow one kind, or run a command for each' })
  return await connected(options, io, async connection => {
    const missing = new MissingObjects()
    for (const { kind, names } of named) {
      const allNamespaces = options.allNamespaces === true && kind.scope === 'Namespaced'
      const print: PrintOptions = {
        form: options.output,
        allNamespaces,
        single: names.length === 1,
        now: io.clock.now(),
        width: io.columns,
      }
      if (options.watch === true) await follow(connection, kind, names, options, io, print)
      else {
        const objects = await read(connection, kind, names, options, missing)
        if (objects.length > 0 || names.length === 0) await show(objects, kind, io, print, connection.namespace)
      }
    }
    return missing.report(io)
  })
}

async function read(
  connection: Connection,
  kind: Kind,
  names: readonly string[],
  options: GetOptions,
  missing: MissingObjects,
): Promise<readonly Resource[]> {
  if (names.length > 0) return await missing.found(names.map(name => findObject(connection, kind, name)))
  const { store, where } = connection
  const { items } = await store.list(kind, selectionOf(where(kind, options.allNamespaces), options))
  return items.map(item => item.object)
}

async function show(objects: readonly Resource[], kind: Kind, io: Io, print: PrintOptions, namespace: string): Promise<void> {
  const isTable = print.form === 'table' || print.form === 'wide'
  if (objects.length > 0 || !isTable) return io.out(await objectsText(kind, objects, print))
  const place = kind.scope === 'Cluster' || print.allNamespaces ? '' : ` in namespace ${namespace}`
  io.err(`There are no ${kind.plural}${place}.\n`)
}

/** First everything there is, then a line for each change. */
async function follow(
  { store, where }: Connection,
  kind: Kind,
  names: readonly string[],
  options: GetOptions,
  io: Io,
  print: PrintOptions,
): Promise<void> {
  const wanted = new Set(names)
  const selection = selectionOf(where(kind, options.allNamespaces), options)
  const textOf = followedText(kind, print)
  for await (const objects of changes(kind, { store, selection }, io)) {
    const chosen = objects.filter(object => wanted.size === 0 || wanted.has(object.metadata.name))
    if (chosen.length > 0) io.out(await textOf(chosen, io.clock.now()))
  }
}

function selectionOf(place: { readonly namespace?: string }, { selector, fieldSelector }: GetOptions): Selection {
  return {
    ...place,
    ...(selector === undefined ? {} : { labelSelector: selector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  }
}
