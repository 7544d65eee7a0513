import type { Json } from '../kinds/index.ts'
import { deepFreeze } from '../store/index.ts'
import type { Vm } from './platform.ts'

/** Anyone with rights on the platform writes annotations; a larger one is not one of ours. */
const mostCharacters = 64 * 1024

/** An annotation read as a JSON object, frozen; undefined if it is none, or larger than any of ours. */
export function readNote(annotation: string): Json | undefined {
  if (annotation.length > mostCharacters || !/^\s*\{/.test(annotation)) return undefined
  try {
    return deepFreeze(JSON.parse(annotation) as Json)
  } catch {
    return undefined
  }
}

/** The note of a VM that was known as `old`: read anew only if the text is another one. */
export function noteOf(annotation: string, old: Pick<Vm, 'annotation' | 'note'> | undefined): Json | undefined {
  return old?.annotation === annotation ? old.note : readNote(annotation)
}

/** A field of a note; undefined if there is no note or no such field. */
export function noteField(note: Json | undefined, field: string): Json | undefined {
  if (typeof note !== 'object' || note === null || Array.isArray(note)) return undefined
  return Object.hasOwn(note, field) ? (note as { readonly [name: string]: Json })[field] : undefined
}
