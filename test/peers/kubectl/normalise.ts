/** Takes out of an output what differs from run to run or from server to server without meaning anything. */
export function normalise(output: string, folder: string, server: string): string {
  return rules.reduce(
    (text, [pattern, replacement]) => text.replace(pattern, replacement),
    output.replaceAll(folder, 'FOLDER').replaceAll(server, 'SERVER'),
  )
}

const rules: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?\+0000|Z)/g, 'TIME'],
  [/(resourceVersion"?: )"\d+"/g, '$1"REVISION"'],
  [/(Resource Version: +)\d+/g, '$1REVISION'],
  [/made-[a-z0-9]{5}\b/g, 'made-SUFFIX'],
  [/(Server Version: )v[^\s]+/g, '$1VERSION'],
  [/\S*\/(LIVE|MERGED)-\d+/g, '$1'],
  [/\/\S*kubectl-edit-\d+\.yaml/g, 'EDITED'],
  // What client-go tells its developers.
  [/^! [IWE]\d{4} .*\n/gm, ''],
  // Ages and columns: how long a run takes and how wide a column therefore is.
  [/(?<=^|\s)\d+(y|d|h|m|s)(\d+(d|h|m|s))?(?=[\s)]|$)/gm, 'AGE'],
  [/(\S) {2,}(?=\S)/g, '$1  '],
  [/ +$/gm, ''],
  // The real server repeats the patched object, with whatever secrets are in it; ours does not.
  [/patch: Invalid value: "\{.*\}": strict/g, 'patch: Invalid value: OBJECT: strict'],
  // Ours does not offer server-side apply.
  [/, application\/apply-patch\+yaml/g, ''],
]
