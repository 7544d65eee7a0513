/*
 * The controller runtime. A newcomer reads, in this order:
 *
 *   controller/controller.ts   what a controller is, with an example
 *   controller/step.ts         what its steps may return
 *   controller/watches.ts      what else makes it look at an object
 *   testing/nest-controller.ts a whole controller, small enough to read
 *   start-controllers.ts       how a set of them is run and stopped
 *   metrics.ts                 what it measures
 */

// Controllers
export { controller, indexed } from './controller/controller.ts'
export type { Controller, ControllerContext, ControllerOptions, Pass, RunningController, StepFunction } from './controller/controller.ts'
export { again, condition, done, met, next, record, remove, report, wait } from './controller/step.ts'
export type { Outcome, StatusPatch, Step, WaitReason } from './controller/step.ts'
export { mapped, outside, owned } from './controller/watches.ts'
export type { Watch } from './controller/watches.ts'
export { braked, RewriteBrake } from './controller/rewrite-brake.ts'
export { startControllers } from './start-controllers.ts'
export type { RunningControllers, StartOptions } from './start-controllers.ts'

// What controllers and others do with objects
export { conditionsOf, findCondition, setCondition } from './conditions.ts'
export type { ConditionChange } from './conditions.ts'
export { hasFinalizer, isBeingDeleted, withFinalizer, withoutFinalizer } from './finalizers.ts'
export { keyOf, keyText, parseKey } from './object-key.ts'
export { periodically } from './periodically.ts'

// What keeps objects in memory and work in order
export { Informer } from './informer/informer.ts'
export type { InformerOptions, InformerState, Reader } from './informer/informer.ts'
export type { InformerHandler } from './informer/handlers.ts'
export type { IndexFunction } from './informer/object-index.ts'
export type { Informers } from './informer/informers.ts'

// Only one process acts
export { runElection } from './election/run-election.ts'
export type { ElectionDials, ElectionOptions } from './election/run-election.ts'
export type { Leadership } from './election/leadership.ts'

// What a Kubernetes cluster does by itself, for the embedded engine
export { eventExpiry } from './events/event-expiry.ts'
export { garbageCollector } from './garbage/garbage-collector.ts'
export { namespaceController } from './namespaces/namespace-controller.ts'

// Why nothing happens
export { explain } from './explain/explain.ts'
export type { ExplainOptions } from './explain/explain.ts'
export type { Explanation, ObjectName, Related, Wait } from './explain/explanation.ts'
export { storeReader } from './explain/explain-reader.ts'
export type { ExplainReader } from './explain/explain-reader.ts'
export { explainText } from './explain/explain-text.ts'
export { holdersOf } from './explain/holders.ts'

export type { EventNote, EventType } from './events/event-correlator.ts'
export { NotSynced } from './errors.ts'
