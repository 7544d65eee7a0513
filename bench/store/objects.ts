import type { Draft, Nest } from '../../src/kinds/index.ts'

/** How many different values the label `owner` has: a list by it finds 2 %. */
export const owners = 50

/** A nest that takes 2.3 KB as the store keeps it: a few labels, an annotation, a list. */
export function nestDraft(number: number): Draft<Nest> {
  return {
    metadata: {
      namespace: 'bench',
      name: `nest-${number}`,
      labels: {
        'app.kubernetes.io/name': 'nest',
        'app.kubernetes.io/part-of': 'bench',
        owner: `team-${number % owners}`,
        zone: `zone-${number % 7}`,
        unique: `u-${number}`,
      },
      annotations: { 'demo.aviary.dev/notes': 'a note that somebody wrote about this nest; '.repeat(16) },
    },
    spec: {
      eggs: number % 12,
      material: 'moss',
      site: `tree-${number}`,
      guards: Array.from({ length: 20 }, (_, guard) => ({ name: `guard-${guard}`, post: `branch ${guard} on the north side` })),
    },
  }
}

/** The same object as text, as a client of etcd would store it. */
export function nestText(number: number): string {
  return JSON.stringify({
    apiVersion: 'demo.aviary.dev/v1alpha1',
    kind: 'Nest',
    ...nestDraft(number),
    metadata: {
      ...nestDraft(number).metadata,
      uid: '5b69b10f-6fbf-4733-9ff3-dd53403a7f2b',
      resourceVersion: String(number),
      generation: 1,
      creationTimestamp: '2026-11-15T23:55:14Z',
    },
  })
}
