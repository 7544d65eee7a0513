import type { Secret } from '../../ports/index.ts'
import type { V1Model } from '../cds/cds.ts'
import type { Requirement, V2Model } from '../jobs/job.ts'
import { flavorInForce } from './flavor-order.ts'
import { passwordV1, passwordV2 } from './model-password.ts'
import type { StarterModel } from './starter-model.ts'

/** The group whose models everyone may use, and whose name is left out. */
const sharedGroup = 'shared.infra'

/** The only sort of models that this hatchery starts. */
export const modelType = 'vsphere'

/** Who asks for a worker, as far as a model depends on it. */
export interface AskedBy {
  /** Of a V1 job; none for registrations and provisions. */
  readonly requirements?: readonly Requirement[]
  /** `runs-on` of a V2 job. */
  readonly runsOnFlavor?: string
  /** The hatchery's default. */
  readonly defaultFlavor: string | undefined
}

const noSecrets: ReadonlyMap<string, Secret> = new Map()

/** `group/name`: how a V1 model is named in calls and annotations. */
export function modelPath({ group, name }: Pick<V1Model, 'group' | 'name'>): string {
  return `${group}/${name}`
}

/** How people read a V1 model's name: without the group that everybody has. */
export function modelTitle({ group, name }: Pick<V1Model, 'group' | 'name'>): string {
  return group === sharedGroup ? name : `${group}/${name}`
}

/** Whether a V1 job means this model by `wanted`, which may have options after a space. */
export function isModelNamed(model: Pick<V1Model, 'group' | 'name'>, wanted: string): boolean {
  const [name = ''] = wanted.split(' ')
  return name === modelPath(model) || name === model.name
}

/** A V1 model as workers are started from it. */
export function starterFromV1(model: V1Model, asked: AskedBy, secrets: ReadonlyMap<string, Secret> = noSecrets): StarterModel {
  const { requirements = [], defaultFlavor } = asked
  return {
    version: 1,
    name: modelTitle(model),
    path: modelPath(model),
    id: model.id,
    image: model.image,
    template: model.name,
    flavor: flavorInForce({ model: model.flavor, requirements, default: defaultFlavor }),
    preCmd: model.preCmd,
    cmd: model.cmd,
    postCmd: model.postCmd,
    osArch: model.registeredOs === '' || model.registeredArch === '' ? '' : `${model.registeredOs}/${model.registeredArch}`,
    user: model.user,
    ...passwordV1(model.password, secrets),
    lastModified: String(model.userLastModified),
    isDeprecated: model.isDeprecated,
  }
}

/** A V2 model as workers are started from it. What the guest does first, fetching the worker, is left to the launch script. */
export function starterFromV2(model: V2Model, asked: AskedBy): StarterModel {
  const { requirements = [], runsOnFlavor = '', defaultFlavor } = asked
  return {
    version: 2,
    name: model.name,
    path: '',
    id: undefined,
    image: model.image,
    template: model.image,
    flavor: flavorInForce({ runsOn: runsOnFlavor, model: model.flavor, requirements, default: defaultFlavor }),
    preCmd: '',
    cmd: 'PATH=$PATH worker',
    postCmd: 'sudo shutdown -h now',
    // The guest may know better than a model that does not say.
    osArch: model.osArch === '' ? 'linux/$(uname -m)' : model.osArch,
    user: model.user,
    ...passwordV2(model.password),
    lastModified: '',
    isDeprecated: false,
  }
}
