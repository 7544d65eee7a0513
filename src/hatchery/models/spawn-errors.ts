import type { V1Model } from '../cds/cds.ts'

/** More failures than this, and a V1 model is left alone until somebody looks at it. */
const most = 5

/** Whether starting workers from a V1 model failed so often that it is left alone. CDS counts. */
export function hasTooManyErrors({ spawnErrors }: Pick<V1Model, 'spawnErrors'>): boolean {
  return spawnErrors > most
}

/** What makes CDS forget the failures of a model. */
export const howToForgetErrors = 'see its last error in CDS and save the model again, which forgets them'
