import type { Clock } from '../ports/index.ts'
import type { Draft, Json, Resource } from '../kinds/index.ts'
import { StoreError } from '../store/index.ts'
import { type Answer, header } from './call.ts'
import { badRequest } from './errors.ts'
import { keyOf, type ObjectExchange } from './exchange.ts'
import { checkComplaints, placed, refuseOtherNames, strictPatchRefusal, warnOfFinalizers, writeOptions } from './incoming.ts'
import { refuseManyValues } from './json-text.ts'
import { isObject } from './patch/merge-patch.ts'
import { type Patch, readPatch } from './patch/patch-types.ts'
import { subresourceOf } from './update.ts'
import { objectAnswer, viewOf } from './view.ts'
import { readWriteQuery, type WriteQuery } from './write-options.ts'

/** Patches an object, or its part that a subresource is. */
export async function patchObject(exchange: ObjectExchange, clock: Clock): Promise<Answer> {
  const { call, query, served } = exchange
  const options = readWriteQuery(exchange, 'PatchOptions')
  const view = viewOf(call, query)
  const patch = readPatch(await exchange.body(), header(call, 'content-type'), served.kind)
  try {
    const patched = await retryingConflicts(exchange, current => patchOnce(exchange, current, patch, options))
    return await objectAnswer(view, served.kind, patched, clock)
  } catch (error) {
    throw strictPatchRefusal(error)
  }
}

/** So often is a patch tried on an object that keeps changing under it. */
const tries = 5

/**
 * Reads the object and changes it; if somebody was faster, again with what they left. A change that asks for one revision is not
 * tried again: it would be refused again.
 */
export async function retryingConflicts(
  exchange: ObjectExchange,
  change: (current: Resource) => { readonly asks: boolean; update(): Promise<Resource> },
): Promise<Resource> {
  const { store, served, signal } = exchange
  for (let attempt = 1; ; attempt++) {
    const { asks, update } = change(await store.get(served.kind, keyOf(exchange)))
    try {
      return await update()
    } catch (error) {
      if (!StoreError.is(error, 'Conflict') || asks || attempt >= tries || signal.aborted) throw error
    }
  }
}

function patchOnce(exchange: ObjectExchange, current: Resource, patch: Patch, options: WriteQuery) {
  const { store, served, resource } = exchange
  const result = patch.apply(current as unknown as { readonly [key: string]: Json })
  if (!isObject(result)) throw badRequest('the patch leaves no object')
  refuseManyValues(result)
  const object = placed(exchange, result)
  refuseOtherNames(object, resource.name)
  const { resourceVersion: asked = '' } = object.metadata
  const { resourceVersion: found } = current.metadata
  const next: Draft<Resource> = {
    ...object,
    metadata: { ...object.metadata, name: resource.name, resourceVersion: asked === '' ? found! : asked },
  }
  const update = async () => {
    // Warnings are those of the attempt that counts.
    exchange.warnings.length = 0
    checkComplaints(exchange, { object, complaints: patch.complaints }, options)
    const updated = await store.update(served.kind, next, { ...writeOptions(exchange, options), ...subresourceOf(exchange) })
    warnOfFinalizers(exchange, updated, current.metadata.finalizers)
    return updated
  }
  return { asks: asked !== '' && asked !== found, update }
}
