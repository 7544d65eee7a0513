import { failure } from '../ports/index.ts'

/**
 * Trying again is of no use until somebody changes the object. A step throws it; the runtime writes it into the controller's
 * first condition, with the fix as what would unblock it, and leaves the object alone until it changes.
 */
export const TerminalError = failure('CONTROL_TERMINAL', ({ message, fix }: { reason: string; message: string; fix: string }) => ({
  message,
  fix,
}))

/** Nothing is known yet. It does not mean that there is nothing. */
export const NotSynced = failure('CONTROL_NOT_SYNCED', ({ kind }: { kind: string }) => ({
  message: `the objects of kind ${kind} have not been read yet`,
  fix: 'wait for `synced` before reading',
}))

/** Somebody asks for an index that nobody declared: a mistake in the program. */
export const IndexUnknown = failure(
  'CONTROL_INDEX_UNKNOWN',
  ({ kind, index, known }: { kind: string; index: string; known: string[] }) => ({
    message: `the informer of ${kind} has no index ${index}`,
    fix: known.length === 0 ? 'declare it where the informer is made' : `use one of ${known.join(', ')}, or declare it`,
  }),
)

/** Two indexes of one kind would have one name: a mistake in the program. */
export const IndexTaken = failure('CONTROL_INDEX_TAKEN', ({ kind, index }: { kind: string; index: string }) => ({
  message: `the informer of ${kind} already has another index ${index}`,
  fix: 'choose another name, or share the function',
}))

/** What somebody waited for will not be seen any more. */
export const InformerStopped = failure('CONTROL_INFORMER_STOPPED', ({ kind }: { kind: string }) => ({
  message: `the informer of ${kind} was stopped`,
}))

/** A pass reads what may not be known yet: a mistake in the program. */
export const ReadNotDeclared = failure('CONTROL_READ_NOT_DECLARED', ({ controller, kind }: { controller: string; kind: string }) => ({
  message: `controller ${controller} reads ${kind} without saying so`,
  fix: `add ${kind} to its \`reads\`, so that no pass starts before they are known`,
}))

/** Each condition has one writer, and this was not it: a mistake in the program. */
export const ConditionNotOwned = failure(
  'CONTROL_CONDITION_NOT_OWNED',
  ({ controller, type, owned }: { controller: string; type: string; owned: readonly string[] }) => ({
    message: `controller ${controller} wrote condition ${type}, which it does not own`,
    fix:
      owned.length === 0
        ? `declare ${type} in its \`conditions\``
        : `it owns ${owned.join(', ')}; declare ${type} if no other controller does`,
  }),
)

/** Each condition has one writer, and here are two: a mistake in the program. */
export const ConditionClaimedTwice = failure(
  'CONTROL_CONDITION_CLAIMED_TWICE',
  ({ kind, type, controllers }: { kind: string; type: string; controllers: readonly string[] }) => ({
    message: `condition ${type} of ${kind} has two writers: ${controllers.join(' and ')}`,
    fix: 'give each condition to one controller',
  }),
)

/** Two controllers cannot be told apart: a mistake in the program. */
export const NameTaken = failure('CONTROL_NAME_TAKEN', ({ name }: { name: string }) => ({
  message: `two controllers are named ${name}`,
  fix: 'give each a name of its own: metrics and events carry it',
}))

/** A step would start passes without end: a mistake in the program. */
export const RecordedNothing = failure('CONTROL_RECORDED_NOTHING', ({ controller }: { controller: string }) => ({
  message: `a step of controller ${controller} records what is already in the status, which would go on for ever`,
  fix: 'return `record` only if the status does not say it yet',
}))

/** Some objects of a namespace that is being deleted could not be deleted. It is tried again. */
export const NamespaceNotEmptied = failure(
  'CONTROL_NAMESPACE_NOT_EMPTIED',
  ({ namespace, failures }: { namespace: string; failures: readonly string[] }) => ({
    message: `${failures.length} objects of namespace ${namespace} could not be deleted: ${failures.slice(0, 3).join('; ')}`,
  }),
)

/** The lease is lost or may be: another process may act now, this one must not. */
export const NotLeader = failure('CONTROL_NOT_LEADER', ({ lease, why }: { lease: string; why: string }) => ({
  message: `this process does not hold lease ${lease}: ${why}`,
}))

/** The controllers are being stopped. */
export const Stopping = failure('CONTROL_STOPPING', (_: { controller: string }) => ({ message: 'the controller is being stopped' }))
