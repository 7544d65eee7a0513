import type { V1Model } from './cds.ts'
import { fieldsOf, flagIn, listOf, numberIn, textIn, timeIn } from './reading.ts'

/** A V1 worker model; undefined if it has no name. */
export function readModelV1(value: unknown): V1Model | undefined {
  const model = fieldsOf(value)
  const name = textIn(model, 'name')
  if (name === '') return undefined
  const machine = fieldsOf(model['model_virtual_machine'])
  return {
    id: numberIn(model, 'id'),
    name,
    group: textIn(fieldsOf(model['group']), 'name'),
    type: textIn(model, 'type'),
    disabled: flagIn(model, 'disabled'),
    restricted: flagIn(model, 'restricted'),
    registeredOs: textIn(model, 'registered_os'),
    registeredArch: textIn(model, 'registered_arch'),
    needRegistration: flagIn(model, 'need_registration'),
    checkRegistration: flagIn(model, 'check_registration'),
    userLastModified: Math.floor((timeIn(model, 'user_last_modified') ?? 0) / 1000),
    spawnErrors: numberIn(model, 'nb_spawn_err'),
    isDeprecated: flagIn(model, 'is_deprecated'),
    capabilities: Array.from(new Set(listOf(model['registered_capabilities']).flatMap(capabilitiesOf))),
    image: textIn(machine, 'image'),
    flavor: textIn(machine, 'flavor'),
    preCmd: textIn(machine, 'pre_cmd'),
    cmd: textIn(machine, 'cmd'),
    postCmd: textIn(machine, 'post_cmd'),
    user: textIn(machine, 'user'),
    password: textIn(machine, 'password'),
  }
}

/** By value and by name: a job may ask for a program by either. */
function capabilitiesOf(value: unknown): readonly string[] {
  const fields = fieldsOf(value)
  return [textIn(fields, 'value'), textIn(fields, 'name')].filter(each => each !== '')
}
