/** Where all nests are. */
export const namespace = 'bench'

/** The collection that every request is about. */
export const nestsPath = `/apis/demo.aviary.dev/v1alpha1/namespaces/${namespace}/nests`

/** The name of the nest with a number. */
export function nestName(number: number): string {
  return `nest-${String(number).padStart(6, '0')}`
}

/** A nest of about 1 KB as the servers keep it. One in a hundred has any one value of the label `hundredth`. */
export function nestBody(number: number): string {
  return JSON.stringify({
    apiVersion: 'demo.aviary.dev/v1alpha1',
    kind: 'Nest',
    metadata: {
      name: nestName(number),
      labels: { all: 'yes', hundredth: String(number % 100) },
      annotations: { note: '0123456789abcdef'.repeat(32) },
    },
    spec: {
      eggs: number % 12,
      material: 'moss',
      guards: [
        { name: 'robin', post: 'north' },
        { name: 'wren', post: 'south' },
      ],
    },
  })
}

/** A merge patch that changes a nest and says when, in microseconds. */
export function patchBody(eggs: number, at: number): string {
  return JSON.stringify({ metadata: { annotations: { at: String(at) } }, spec: { eggs } })
}

/** Microseconds of the wall clock: sixteen digits, the same in every thread. */
export function nowMicroseconds(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000)
}
