import { parseTime } from '../../ports/index.ts'
import { humanDuration } from '../../kinds/index.ts'
import type { Explanation, ObjectName, Related, Wait } from './explanation.ts'
import { wrap } from './wrap.ts'

/** How an explanation is printed. */
export interface ExplainTextOptions {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Columns of the terminal. Default 80. */
  readonly width?: number
}

/** An explanation for a person: what it is, what it waits for, and what has to do with it; to be read in ten seconds. */
export function explainText(explanation: Explanation, { now, width = 80 }: ExplainTextOptions): string {
  const lines = [...headline(explanation, now), ...story(explanation, now)]
  for (const related of explanation.related) if (related.relation === 'named') lines.push('', ...relatedLines(related, now))
  const owners = explanation.related.filter(({ relation }) => relation === 'owner')
  if (owners.length > 0) lines.push('', 'owned by', ...owners.map(related => `  ${summary(related, now)}`))
  const dependents = explanation.related.filter(({ relation }) => relation === 'dependent')
  if (dependents.length > 0) lines.push('', `owns ${dependents.length + explanation.omitted}`)
  for (const related of dependents) lines.push(...indent(dependentLines(related, now)))
  if (explanation.omitted > 0) lines.push(`  and ${explanation.omitted} more`)
  if (explanation.unseen.length > 0) lines.push('', `could not look at: ${explanation.unseen.join(', ')}`)
  return lines.flatMap(line => wrap(plain(line), width)).join('\n') + '\n'
}

/** How many objects behind a related one are told of. */
const mostBehind = 3

const states: Readonly<Record<Explanation['state'], string>> = {
  waiting: 'is waiting',
  deleting: 'is being deleted',
  settled: 'is settled: nothing to wait for',
  silent: 'says nothing about itself: it has no conditions',
}

function headline({ object, state, phase, created }: Explanation, now: number): string[] {
  const facts = [...(phase === undefined ? [] : [phase]), ...(created === undefined ? [] : [`made ${ago(created, now)}`])]
  return [`${title(object)} ${states[state]}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`]
}

function story({ deletion, unseenChange, waits, settled }: Explanation, now: number): string[] {
  const lines: string[] = []
  if (deletion !== undefined) {
    const holders = deletion.heldBy.length === 0 ? 'nothing holds it' : `held by ${deletion.heldBy.join(', ')}`
    lines.push('', `deletion asked for ${ago(deletion.since, now)}`, `  ${holders}`)
  }
  if (unseenChange !== undefined) {
    lines.push(
      '',
      `change ${unseenChange.generation} of its spec has not been looked at yet`,
      `  its conditions are about change ${unseenChange.seen}`,
    )
  }
  for (const wait of waits) lines.push('', ...waitLines(wait, now))
  if (settled.length > 0) lines.push('', `well: ${settled.map(({ condition, reason }) => `${condition} (${reason})`).join(', ')}`)
  return lines
}

function waitLines({ condition, status, reason, message, since, until, isOverdue, then, unblock }: Wait, now: number): string[] {
  return [
    `${condition} is ${status}: ${reason}`,
    ...(message === '' ? [] : [`  ${message}`]),
    `  since    ${at(since)} (${ago(since, now)})`,
    ...(until === undefined
      ? []
      : [`  until    ${at(until)} (${isOverdue ? `overdue for ${distance(until, now)}` : `in ${distance(until, now)}`})`]),
    ...(then === undefined ? [] : [`  then     ${then}`]),
    ...(unblock === undefined ? [] : [`  unblock  ${unblock}`]),
  ]
}

/** An object that a wait names: its whole story, because it may be the reason. */
function relatedLines({ object, explanation }: Related, now: number): string[] {
  if (explanation === undefined) return [`${title(object)} does not exist`]
  return [
    ...headline(explanation, now),
    ...indent(story(explanation, now).filter(line => line !== '')),
    ...indent(deeper(explanation, now)),
  ]
}

/** A dependent: one line, and more only if it waits. */
function dependentLines(related: Related, now: number): string[] {
  const { explanation } = related
  return [summary(related, now), ...(explanation === undefined ? [] : indent(deeper(explanation, now)))]
}

/** What is behind a related object, shortly: whoever wants more asks about that one. */
function deeper({ related }: Explanation, now: number): string[] {
  const troubled = related.filter(({ relation, explanation }) => relation !== 'owner' && explanation?.state !== 'settled')
  const lines = troubled.slice(0, mostBehind).map(each => summary(each, now))
  return troubled.length > mostBehind ? [...lines, `and ${troubled.length - mostBehind} more`] : lines
}

function summary({ object, explanation }: Related, now: number): string {
  if (explanation === undefined) return `${title(object)} does not exist`
  const [first] = explanation.waits
  const phase = explanation.phase === undefined ? '' : ` (${explanation.phase})`
  if (first === undefined) return `${title(object)}${phase} is ${explanation.state}`
  const time = first.until === undefined ? '' : `, ${first.isOverdue ? 'overdue for' : 'until in'} ${distance(first.until, now)}`
  return `${title(object)}${phase} waits: ${first.message === '' ? first.reason : first.message}${time}`
}

function title({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

/** `2026-01-01 00:01:00Z`: the day and the time apart, for eyes. */
function at(time: string): string {
  return time.replace('T', ' ')
}

function ago(time: string, now: number): string {
  const distanceText = distance(time, now)
  return parseTime(time) > now ? `in ${distanceText}` : `${distanceText} ago`
}

function distance(time: string, now: number): string {
  return humanDuration(Math.abs(now - parseTime(time)))
}

function indent(lines: readonly string[]): string[] {
  return lines.map(line => `  ${line}`)
}

/** Texts come from back ends, too: what would break a line or command a terminal becomes a space. */
function plain(line: string): string {
  return line.replace(/\p{Cc}+/gu, ' ')
}
