import type { GuestCredentials, ProvisioningEntry } from '../settings.ts'
import { checkFlavor } from './flavor-settings.ts'
import type { vsphereKeys } from './keys.ts'
import type { Reading } from './reading.ts'
import type { ValuePath } from './setting-problem.ts'
import type { Values } from './table.ts'

type Keys = Values<typeof vsphereKeys>

/** What is to stand ready. An entry that names both sorts of models stands for two. */
export function provisioningEntries(keys: Keys, reading: Reading): readonly ProvisioningEntry[] {
  const entries: ProvisioningEntry[] = []
  for (const { at, values } of keys.workerProvisioning) {
    const { modelPath, modelVMWare, number, flavor } = values
    checkModel(at, modelPath, modelVMWare, reading)
    if (flavor !== undefined) checkFlavor(flavor, [...at, 'flavor'], keys, reading)
    for (const [version, model] of [[1, modelPath] as const, [2, modelVMWare] as const]) {
      if (model === undefined) continue
      const isThere = entries.some(
        other => other.version === version && other.model === model && other.flavor?.toLowerCase() === flavor?.toLowerCase(),
      )
      if (isThere) reading.problem({ at }, `"${model}" is there twice`, 'make one entry of both, with the sum of their numbers')
      entries.push({ version, model, number, flavor })
    }
  }
  return entries
}

/** Who may start programs in guests, in the order in which it is looked up. */
export function guestCredentials(keys: Keys, reading: Reading): readonly GuestCredentials[] {
  const credentials: GuestCredentials[] = []
  for (const { at, values } of keys.models) {
    const { modelVMWare: image, username: user, password, preStartScript } = values
    if (image === undefined) reading.problem({ at: [...at, 'modelVMWare'] }, 'is missing', 'name the template')
    if (user !== undefined && password !== undefined) credentials.push({ path: undefined, image, user, password })
    else if (user !== undefined || password !== undefined || preStartScript === undefined) reportHalf(at, user, reading)
  }
  for (const { at, values } of keys.guestCredentials) {
    const { modelPath, modelVMWare, username: user, password } = values
    checkModel(at, modelPath, modelVMWare, reading)
    if (user === undefined || password === undefined) {
      reportHalf(at, user, reading)
      continue
    }
    if (modelPath !== undefined) credentials.push({ path: modelPath, image: undefined, user, password })
    if (modelVMWare !== undefined) credentials.push({ path: undefined, image: modelVMWare, user, password })
  }
  return credentials
}

function reportHalf(at: ValuePath, user: string | undefined, reading: Reading): void {
  reading.problem({ at: [...at, user === undefined ? 'username' : 'password'] }, 'is missing', 'nobody can log in without both')
}

function checkModel(at: ValuePath, path: string | undefined, image: string | undefined, reading: Reading): void {
  if (path === undefined && image === undefined) {
    reading.problem({ at }, 'names no model', 'add modelVMWare (a template, V2) or modelPath (group/name, V1)')
  }
  if (path !== undefined && !/^[^/\s]+\/[^/\s]+$/.test(path)) {
    reading.problem({ at: [...at, 'modelPath'] }, `is "${path}"`, 'write it as group/name, such as shared.infra/debian12')
  }
}

/** V2 models for V1 jobs that name none. */
export function defaultModels(keys: Keys, reading: Reading): readonly { readonly model: string; readonly binaries: readonly string[] }[] {
  return keys.defaultWorkerModelsV2.map(({ at, values }) => {
    const { workerModelV2: model = '', binaries } = values
    if (model.split('@')[0]!.split('/').length < 4) {
      const fix = 'write it as PROJECT/VCS/REPOSITORY/MODEL, with @BRANCH if it is not master'
      reading.problem({ at: [...at, 'workerModelV2'] }, model === '' ? 'is missing' : `is "${model}"`, fix)
    }
    return { model, binaries }
  })
}
