import type { Json } from '../../kinds/index.ts'
import { isoTimeMicro, parseTime } from '../../ports/index.ts'
import type { Vm } from '../../platform/index.ts'

/** What a hatchery writes into the annotation of its VMs: the record of what each is for. Keys as in hatchery §5, contract of the original. */
export interface WorkerNote {
  readonly hatcheryName: string
  readonly workerName: string
  readonly registerOnly: boolean
  /** It stands ready and is not yet a worker. */
  readonly provisioning: boolean
  /** V1: `group/name`. */
  readonly workerModelPath: string
  /** V2: the name of the template. */
  readonly vmwareModelPath: string
  /** V1: seconds since 1970, as text. */
  readonly workerModelLastModified: string
  /** It is a template that belongs to a worker model. */
  readonly model: boolean
  /** Milliseconds since 1970; undefined if not set. What is to stand ready has none before its guest was set up. */
  readonly created: number | undefined
  /** When it became a worker. */
  readonly workerStartTime: number | undefined
  readonly jobId: string
  readonly ipAddress: string
  /** The flavor that it was made with or resized to. */
  readonly flavor: string
}

type Sort = 'text' | 'flag' | 'time'

/** Every field with its key and sort, in the order in which the original writes them. */
const fields: readonly (readonly [keyof WorkerNote, key: string, Sort])[] = [
  ['hatcheryName', 'hatchery_name', 'text'],
  ['workerName', 'worker_name', 'text'],
  ['registerOnly', 'register_only', 'flag'],
  ['provisioning', 'provisioning', 'flag'],
  ['workerModelPath', 'worker_model_path', 'text'],
  ['vmwareModelPath', 'vmware_model_path', 'text'],
  ['workerModelLastModified', 'worker_model_last_modified', 'text'],
  ['model', 'model', 'flag'],
  ['created', 'created', 'time'],
  ['workerStartTime', 'worker_start_time', 'time'],
  ['jobId', 'job_id', 'text'],
  ['ipAddress', 'ip_address', 'text'],
  ['flavor', 'flavor', 'text'],
]

/** The original finds a key whatever its case. */
const byKey = new Map(fields.map(([field, key, sort]) => [key, { field, sort }]))

/** How the original writes that a time is not set. */
const noTime = '0001-01-01T00:00:00Z'

const emptyNote: WorkerNote = Object.freeze({
  hatcheryName: '',
  workerName: '',
  registerOnly: false,
  provisioning: false,
  workerModelPath: '',
  vmwareModelPath: '',
  workerModelLastModified: '',
  model: false,
  created: undefined,
  workerStartTime: undefined,
  jobId: '',
  ipAddress: '',
  flavor: '',
})

/** A note that says what is given and nothing else. */
export function workerNote(given: Partial<WorkerNote>): WorkerNote {
  return Object.freeze({ ...emptyNote, ...given })
}

/**
 * Reads a VM's annotation as the original does: keys in any case, unknown ones passed over, null as if it were not there, and one
 * value of another sort (a number as `job_id`) makes the whole of it none of a hatchery's. Undefined if it is none.
 */
export function readWorkerNote({ note }: Pick<Vm, 'note'>): WorkerNote | undefined {
  if (typeof note !== 'object' || note === null || Array.isArray(note)) return undefined
  const found: Record<string, string | boolean | number | undefined> = {}
  for (const [key, value] of Object.entries(note as { readonly [key: string]: Json })) {
    const known = byKey.get(key.toLowerCase())
    if (known === undefined || value === null) continue
    if (known.sort === 'time') {
      const time = readTime(value)
      if (time === 'unreadable') return undefined
      found[known.field] = time
    } else {
      if (typeof value !== (known.sort === 'flag' ? 'boolean' : 'string')) return undefined
      found[known.field] = value as string | boolean
    }
  }
  return workerNote(found)
}

/**
 * The annotation that says `note`, readable for the original: what is empty is left out, but the two times are always there.
 * With `over`, the annotation that it takes the place of, the keys of others in it stay.
 */
export function writeWorkerNote(note: WorkerNote, over?: Pick<Vm, 'note'>): string {
  const written = fields.flatMap(([field, key, sort]): [string, Json][] => {
    const value = note[field]
    if (sort === 'time') return [[key, value === undefined ? noTime : writeTime(value as number)]]
    return value === '' || value === false ? [] : [[key, value as string | boolean]]
  })
  return JSON.stringify(Object.fromEntries([...written, ...foreignKeys(over?.note)]))
}

/** What is in a note that is none of the fields above, however they are spelled. */
function foreignKeys(note: Json | undefined): readonly [string, Json][] {
  if (typeof note !== 'object' || note === null || Array.isArray(note)) return []
  return Object.entries(note as { readonly [key: string]: Json }).filter(([key]) => !byKey.has(key.toLowerCase()))
}

function readTime(value: Json): number | undefined | 'unreadable' {
  if (typeof value !== 'string') return 'unreadable'
  if (value === noTime) return undefined
  try {
    return parseTime(value)
  } catch {
    return 'unreadable'
  }
}

/** As fine as needed and no finer: `2026-11-15T23:21:43.125Z`. */
function writeTime(milliseconds: number): string {
  return isoTimeMicro(milliseconds).replace(/\.?0+Z$/, 'Z')
}
