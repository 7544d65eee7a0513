/** What a kind of no interest says about itself: `kind({ ...thing, spec: … })`. */
export const thing = {
  group: 'test.aviary.dev',
  version: 'v1',
  name: 'Thing',
  plural: 'things',
  scope: 'Cluster',
  description: 'A thing.',
} as const
