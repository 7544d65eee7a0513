/** The way to a value: keys of tables and indexes of arrays. */
export type ValuePath = readonly (string | number)[]

/** Something that is wrong with a setting, or that its writer should know. */
export interface SettingProblem {
  /** Where it is, by the names that are documented, from the top of the file. */
  readonly path: ValuePath
  /** The environment variable that it came from; undefined if it stands in the file. */
  readonly from?: string
  readonly message: string
  readonly fix?: string
}

/** `hatchery.vsphere.networks[0].gateway` */
export function settingName(path: ValuePath): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('')
}
