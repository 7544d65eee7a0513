import * as z from 'zod'
import { ageOf } from './age.ts'
import { column, derivedColumn, nameColumn } from './column.ts'
import { kind } from './define-kind.ts'
import { qualifiedNameComplaints } from './decode/names.ts'
import { invalid, required } from './decode/problems.ts'
import type { FieldProblem } from './field-problem.ts'
import { valueAt } from './field-value.ts'
import type { Infer } from './kind.ts'
import type { Resource } from './resource.ts'
import { time } from './scalars.ts'

const reference = z.object({
  apiVersion: z.string().optional().describe('Its API version.'),
  kind: z.string().optional().describe('Its kind.'),
  namespace: z.string().optional().describe('Its namespace.'),
  name: z.string().optional().describe('Its name.'),
  uid: z.string().optional().describe('Its uid.'),
  resourceVersion: z.string().optional().describe('Its revision when the event happened.'),
  fieldPath: z.string().optional().describe('The part of it that the event is about.'),
})

/** Something that happened to an object, told once and counted when it happens again. */
export const Event = kind({
  group: '',
  version: 'v1',
  name: 'Event',
  plural: 'events',
  scope: 'Namespaced',
  builtIn: true,
  shortNames: ['ev'],
  description: 'Something that happened to an object. Told once, counted when it happens again, forgotten after a while.',
  fields: {
    involvedObject: reference.describe('The object that it happened to.'),
    reason: z.string().optional().describe('What happened, as one word in CamelCase.'),
    message: z.string().optional().describe('What happened, as a sentence.'),
    type: z.string().optional().describe('Normal or Warning.'),
    count: z.int32().optional().describe('How often it happened.'),
    firstTimestamp: time().optional().describe('When it first happened.'),
    lastTimestamp: time().optional().describe('When it last happened.'),
    eventTime: time().optional().describe('When it first happened, to the microsecond.'),
    series: z
      .object({
        count: z.int32().optional().describe('How often it happened.'),
        lastObservedTime: time().optional().describe('When it last happened.'),
      })
      .optional()
      .describe('If it happened more than once.'),
    source: z
      .object({
        component: z.string().optional().describe('The program.'),
        host: z.string().optional().describe('The machine.'),
      })
      .optional()
      .describe('Who tells it.'),
    reportingComponent: z.string().optional().describe('The controller that tells it.'),
    reportingInstance: z.string().optional().describe('Which of its instances.'),
    action: z.string().optional().describe('What was done or failed.'),
    related: reference.optional().describe('A second object that has to do with it.'),
  },
  columns: [
    derivedColumn('Last Seen', '.lastTimestamp', 0, 'When it last happened.', (event, now) => lastSeen(event, now)),
    column('Type', '.type', { description: 'Normal or Warning.' }),
    column('Reason', '.reason', { description: 'What happened, as one word in CamelCase.' }),
    derivedColumn('Object', '.involvedObject.name', 0, 'The object that it happened to.', event => target(event)),
    column('Subobject', '.involvedObject.fieldPath', { priority: 1, description: 'The part of it that the event is about.' }),
    derivedColumn('Source', '.source.component', 1, 'Who tells it.', event => source(event)),
    derivedColumn('Message', '.message', 0, 'What happened, as a sentence.', event => textAt(event, 'message').trim()),
    derivedColumn('First Seen', '.firstTimestamp', 1, 'When it first happened.', (event, now) => firstSeen(event, now)),
    derivedColumn('Count', '.count', 1, 'How often it happened.', event => count(event)),
    Object.freeze({ ...nameColumn, priority: 1 }),
  ],
  selectableFields: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  problems: event => [...namespaceProblems(event), ...(event.eventTime === undefined ? [] : newStyleProblems(event))],
})

/** An object of kind Event. */
export type Event = Infer<typeof Event>

/** What the checks below look at. Not `Event` itself, whose type is made from what they are part of. */
interface Told {
  readonly metadata: { readonly namespace?: string }
  readonly involvedObject: { readonly namespace?: string }
  readonly eventTime?: string
  readonly reportingComponent?: string
  readonly reportingInstance?: string
  readonly action?: string
  readonly reason?: string
  readonly message?: string
}

/** What happens to an object is told in its namespace; what has none, in `default`. */
function namespaceProblems({ metadata, involvedObject, eventTime }: Told): FieldProblem[] {
  const { namespace: own = '' } = metadata
  const { namespace = '' } = involvedObject
  const old = eventTime === undefined
  const fits = namespace === '' ? ['', 'default', ...(old ? [] : ['kube-system'])].includes(own) : !old || own === '' || own === namespace
  if (fits) return []
  const fix = `write the event into namespace ${namespace || 'default'}`
  return [invalid('involvedObject.namespace', namespace, 'does not match event.namespace', fix)]
}

/** Events that say when they happened to the microsecond must say more besides. */
function newStyleProblems({
  reportingComponent = '',
  reportingInstance = '',
  action = '',
  reason = '',
  message = '',
}: Told): FieldProblem[] {
  const problems: FieldProblem[] = []
  const short = (path: string, text: string, most: number) => {
    if (text.length > most) problems.push(invalid(path, '', `can have at most ${most} characters`, `shorten it to ${most} characters`))
  }
  if (reportingComponent === '') problems.push(required('reportingComponent'))
  for (const complaint of qualifiedNameComplaints(reportingComponent)) {
    problems.push(invalid('reportingComponent', reportingComponent, complaint, 'name it after your domain: example.com/controller'))
  }
  if (reportingInstance === '') problems.push(required('reportingInstance'))
  short('reportingInstance', reportingInstance, 128)
  if (action === '') problems.push(required('action'))
  short('action', action, 128)
  if (reason === '') problems.push(required('reason'))
  short('reason', reason, 128)
  short('message', message, 1024)
  return problems
}

function textAt(event: Resource, path: string): string {
  return (valueAt(event, path) as string | undefined) ?? ''
}

function firstSeen(event: Resource, now: number): string {
  return ageOf(valueAt(event, 'firstTimestamp') ?? valueAt(event, 'eventTime'), now)
}

function lastSeen(event: Resource, now: number): string {
  if (valueAt(event, 'series') !== undefined) return ageOf(valueAt(event, 'series.lastObservedTime'), now)
  const last = valueAt(event, 'lastTimestamp')
  return last === undefined ? firstSeen(event, now) : ageOf(last, now)
}

function count(event: Resource): number {
  const series = valueAt(event, 'series') === undefined ? undefined : (valueAt(event, 'series.count') ?? 0)
  return (series ?? (valueAt(event, 'count') || 1)) as number
}

function target(event: Resource): string {
  const name = textAt(event, 'involvedObject.name')
  const kindName = textAt(event, 'involvedObject.kind').toLowerCase()
  return name === '' ? kindName : `${kindName}/${name}`
}

function source(event: Resource): string {
  const component = textAt(event, 'source.component') || textAt(event, 'reportingComponent')
  const instance = textAt(event, 'source.host') || textAt(event, 'reportingInstance')
  return instance === '' ? component : `${component}, ${instance}`
}
