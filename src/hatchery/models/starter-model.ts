import type { Secret } from '../../ports/index.ts'

/** What a worker is started from, whichever of CDS's two sorts of worker models it comes from. */
export interface StarterModel {
  readonly version: 1 | 2
  /** As CDS and people call it: V1 `group/name`, or `name` alone in shared.infra; V2 its name. */
  readonly name: string
  /** V1: `group/name`. V2: empty. */
  readonly path: string
  /** V1 only. */
  readonly id: number | undefined
  /** The template that an operator made. */
  readonly image: string
  /** The template to clone: V1 the one that was built for the model and has its bare name, V2 the image. */
  readonly template: string
  /** The flavor that the job or the model asks for, by the order of §13.3; the hatchery's default included. Empty: none. */
  readonly flavor: string
  readonly preCmd: string
  readonly cmd: string
  readonly postCmd: string
  /** `linux/amd64`. */
  readonly osArch: string
  /** The model's own login, used if the configuration has none. */
  readonly user: string
  /** Undefined if there is none, or none that can be used; then `passwordProblem` says why. */
  readonly password: Secret | undefined
  readonly passwordProblem: string | undefined
  /** V1: seconds since 1970, as text. */
  readonly lastModified: string
  readonly isDeprecated: boolean
}
