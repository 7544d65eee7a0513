import { ageOf, Event } from '../../kinds/index.ts'
import type { Kind, Resource } from '../../kinds/index.ts'
import { conditionsOf } from '../../control/index.ts'
import type { Connection, ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { byTime, eventHeadings, eventRow } from '../events-of.ts'
import { findObject } from '../find-object.ts'
import type { Io } from '../io.ts'
import { MissingObjects } from '../missing-objects.ts'
import { namedObjects } from '../object-names.ts'
import { tableText } from '../output/table.ts'

/** `aviary describe` */
export async function run(args: readonly string[], options: ConnectionOptions, io: Io): Promise<number> {
  return await connected(options, io, async connection => {
    const missing = new MissingObjects()
    const texts: string[] = []
    for (const { kind, names } of namedObjects(args)) {
      const { store, where } = connection
      const objects =
        names.length > 0
          ? await missing.found(names.map(name => findObject(connection, kind, name)))
          : (await store.list(kind, where(kind))).items.map(item => item.object)
      for (const object of objects) texts.push(await description(connection, kind, object, io))
    }
    io.out(texts.join('\n\n'))
    return missing.report(io)
  })
}

async function description(connection: Connection, kind: Kind, object: Resource, io: Io): Promise<string> {
  const now = io.clock.now()
  const { metadata } = object
  const { conditions: _shown, ...status } = (object as { readonly status?: Record<string, unknown> }).status ?? {}
  const { stringify } = await import('yaml')
  const isSecret = kind.name === 'Secret'
  const facts: readonly (readonly [string, unknown])[] = [
    ['name', metadata.name],
    ['namespace', metadata.namespace],
    ['kind', `${object.kind} (${object.apiVersion})`],
    [
      'made',
      metadata.creationTimestamp === undefined
        ? undefined
        : `${metadata.creationTimestamp} (${ageOf(metadata.creationTimestamp, now)} ago)`,
    ],
    ['being deleted since', metadata.deletionTimestamp],
    ['labels', metadata.labels],
    ['annotations', withoutNotes(metadata.annotations)],
    ['finalizers', metadata.finalizers],
    ['owners', metadata.ownerReferences?.map(owner => `${owner.kind}/${owner.name}`)],
    ...Object.entries(object).filter(
      ([field]) => !['apiVersion', 'kind', 'metadata', 'status'].includes(field) && !(isSecret && field === 'data'),
    ),
    // What a secret holds is shown by get -o yaml, to whoever may read it and means to.
    ...(isSecret ? [['data', Object.keys((object as { readonly data?: object }).data ?? {}).map(key => `${key}: ***`)] as const] : []),
    ['status', Object.keys(status).length === 0 ? undefined : status],
  ]
  const known = Object.fromEntries(facts.filter(([, value]) => value !== undefined && !isEmpty(value)))
  return [stringify(known), conditionsText(object, now, io.columns), await eventsText(connection, object, now, io.columns)].join('')
}

function withoutNotes(annotations: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.endsWith('/last-applied-configuration')))
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function conditionsText(object: Resource, now: number, width: number | undefined): string {
  const conditions = conditionsOf(object)
  if (conditions.length === 0) return ''
  const rows = conditions.map(({ type, status, reason, message, lastTransitionTime }) => [
    type,
    status,
    reason,
    ageOf(lastTransitionTime, now),
    message,
  ])
  return `\nconditions\n${tableText(['Type', 'Status', 'Reason', 'Since', 'Message'], rows, width)}`
}

async function eventsText({ store }: Connection, { metadata }: Resource, now: number, width: number | undefined): Promise<string> {
  const { items } = await store.list(Event, {
    namespace: metadata.namespace ?? 'default',
    fieldSelector: `involvedObject.uid=${metadata.uid}`,
  })
  if (items.length === 0) return '\nevents: none lately\n'
  const rows = items
    .map(item => item.object)
    .toSorted(byTime)
    .map(event => eventRow(event, now))
  return `\nevents\n${tableText(eventHeadings, rows, width)}`
}
