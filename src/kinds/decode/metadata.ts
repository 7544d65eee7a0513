import type { FieldProblem } from '../field-problem.ts'
import type { Kind } from '../kind.ts'
import type { ObjectMeta, OwnerReference } from '../resource.ts'
import { cutOff } from './go-text.ts'
import { labelNameComplaints, labelValueComplaints, qualifiedNameComplaints, subdomainComplaints, utf8Length } from './names.ts'
import { forbidden, invalid, required, tooLong } from './problems.ts'
import { mostProblems } from './reading.ts'

const annotationsLimit = 256 * 1024

/**
 * What is wrong with an object's metadata, beyond its shape. The namespace is not looked at: see `namespaceProblem`. Nor is what it
 * has in common with `known`, whose metadata was looked at before.
 */
export function metadataProblems(kind: Kind, metadata: Partial<ObjectMeta>, known: Partial<ObjectMeta> = {}): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (metadata === known) return problems
  nameProblems(kind, metadata, problems)
  if (metadata.generation !== undefined && metadata.generation < 0) {
    problems.push(invalid('metadata.generation', metadata.generation, 'must be greater than or equal to 0'))
  }
  if (metadata.labels !== undefined && metadata.labels !== known.labels) labelProblems(metadata.labels, problems)
  if (metadata.annotations !== undefined && metadata.annotations !== known.annotations) annotationProblems(metadata.annotations, problems)
  if (metadata.ownerReferences !== undefined && metadata.ownerReferences !== known.ownerReferences)
    ownerProblems(metadata.ownerReferences, problems)
  if (metadata.finalizers !== undefined && metadata.finalizers !== known.finalizers) finalizerProblems(kind, metadata.finalizers, problems)
  return problems
}

/** What is wrong with the namespace of an object: a kind has one or has none, and its name is a DNS label. */
export function namespaceProblem(kind: Kind, namespace: string | undefined): FieldProblem | undefined {
  const path = 'metadata.namespace'
  if (kind.scope === 'Cluster') {
    return namespace === undefined || namespace === '' ? undefined : forbidden(path, 'not allowed on this type', 'remove it')
  }
  if (namespace === undefined || namespace === '') return required(path)
  const [complaint] = labelNameComplaints(namespace)
  return complaint === undefined ? undefined : invalid(path, namespace, complaint, nameFix)
}

const nameFix = 'use lower case letters, digits and dashes'

function nameProblems(kind: Kind, { name = '', generateName = '' }: Partial<ObjectMeta>, problems: FieldProblem[]): void {
  const complaintsOf = (text: string) => {
    const own = kind.nameProblem?.(text)
    return own === undefined ? subdomainComplaints(text) : [own]
  }
  for (const complaint of generateName === '' ? [] : complaintsOf(withoutTrailingDash(generateName))) {
    problems.push(invalid('metadata.generateName', generateName, complaint, nameFix))
  }
  if (name !== '') for (const complaint of complaintsOf(name)) problems.push(invalid('metadata.name', name, complaint, nameFix))
  else if (generateName === '') problems.push(required('metadata.name', 'name or generateName is required', 'set metadata.name'))
}

/** What follows a prefix makes its last dash good. */
function withoutTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix
}

function labelProblems(labels: Readonly<Record<string, string>>, problems: FieldProblem[]): void {
  const path = 'metadata.labels'
  for (const key in labels) {
    if (problems.length >= mostProblems) return
    const value = labels[key]!
    for (const complaint of qualifiedNameComplaints(key)) problems.push(invalid(path, key, complaint, keyFix))
    for (const complaint of labelValueComplaints(value)) {
      problems.push(
        invalid(path, value, complaint, 'keep it to 63 letters, digits, dashes, dots and underscores; longer texts are annotations'),
      )
    }
  }
}

const keyFix = 'use letters, digits, dashes, dots and underscores, if you like with a domain and a slash before them'

function annotationProblems(annotations: Readonly<Record<string, string>>, problems: FieldProblem[]): void {
  const path = 'metadata.annotations'
  let size = 0
  for (const key in annotations) {
    if (problems.length >= mostProblems) return
    for (const complaint of qualifiedNameComplaints(key.toLowerCase())) problems.push(invalid(path, key, complaint, keyFix))
    size += utf8Length(key) + utf8Length(annotations[key]!)
  }
  if (size > annotationsLimit) problems.push(tooLong(path, annotationsLimit))
}

function ownerProblems(owners: readonly OwnerReference[], problems: FieldProblem[]): void {
  const path = 'metadata.ownerReferences'
  let controller: string | undefined
  let all: string | undefined
  for (const owner of owners) {
    if (problems.length >= mostProblems) return
    const { apiVersion = '', kind = '', name = '', uid = '' } = owner as Partial<OwnerReference>
    const fix = 'copy apiVersion, kind, name and uid from the owner'
    if (apiVersion.split('/').at(-1) === '') problems.push(invalid(`${path}.apiVersion`, apiVersion, 'version must not be empty', fix))
    if (kind === '') problems.push(invalid(`${path}.kind`, kind, 'must not be empty', fix))
    if (name === '') problems.push(invalid(`${path}.name`, name, 'must not be empty', fix))
    if (uid === '') problems.push(invalid(`${path}.uid`, uid, 'must not be empty', fix))
    if (apiVersion === 'v1' && kind === 'Event') {
      problems.push(
        refusedOwners(path, JSON.stringify(asWritten(owner)), '/v1, Kind=Event is disallowed from being an owner', 'name another owner'),
      )
    }
    if (owner.controller !== true) continue
    const current = cutOff(`${kind}/${name}`)
    if (controller !== undefined) {
      const rule = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`
      // Written once: it is the same for each of them.
      all ??= JSON.stringify(owners.map(asWritten))
      problems.push(refusedOwners(path, all, rule, 'leave controller: true at one of them'))
    }
    controller ??= current
  }
}

/** Kubernetes prints the fields of an owner in this order, not by their names. */
function asWritten({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): Partial<OwnerReference> {
  return { apiVersion, kind, name, uid, ...(controller ? { controller } : {}), ...(blockOwnerDeletion ? { blockOwnerDeletion } : {}) }
}

function refusedOwners(path: string, value: string, rule: string, fix: string): FieldProblem {
  return { path, reason: 'FieldValueInvalid', message: `Invalid value: ${cutOff(value)}: ${rule}`, fix }
}

/** What needs no domain before it. */
const standardFinalizers: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion']

function finalizerProblems(kind: Kind, finalizers: readonly string[], problems: FieldProblem[]): void {
  const path = 'metadata.finalizers'
  const fix = 'name it after your domain: example.com/what-it-does'
  for (const [index, finalizer] of finalizers.entries()) {
    if (problems.length >= mostProblems) return
    for (const complaint of qualifiedNameComplaints(finalizer)) problems.push(invalid(path, finalizer, complaint, fix))
    // Of its own kinds Kubernetes demands a domain; of those that others define it does not.
    if (!kind.builtIn || kind.group === 'apiextensions.k8s.io' || finalizer.includes('/') || standardFinalizers.includes(finalizer))
      continue
    const rule = 'name is neither a standard finalizer name nor is it fully qualified'
    problems.push(invalid(`${path}[${index}]`, finalizer, rule, fix))
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const rule = 'finalizer orphan and foregroundDeletion cannot be both set'
    problems.push(invalid(path, finalizers, rule, 'keep one of the two'))
  }
}
