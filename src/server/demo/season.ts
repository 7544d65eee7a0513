import { Namespace, Nest } from '../../kinds/index.ts'
import { again, controller } from '../../control/index.ts'
import type { Controller, Pass, Step } from '../../control/index.ts'
import { undefinedIf } from '../../store/index.ts'

/** Marks the nests that the demo makes and removes. */
export const seasonLabel = 'demo.aviary.dev/season'

const namespace = 'default'

/** Two that show life, one that waits for a person, and one that waits for that one. */
const nests: Readonly<Record<string, Nest['spec']>> = {
  robin: { eggs: 3, material: 'moss', site: 'old-oak' },
  wren: { eggs: 2, material: 'down', site: 'ivy-wall', guards: [{ name: 'cock', post: 'gate' }] },
  owl: { eggs: 1, material: 'twig', site: 'hollow-elm', paused: true },
  starling: { eggs: 4, material: 'twig', site: 'hollow-elm' },
}

/** Makes the demo's nests, and makes those again that are gone, once a season. */
export function seasonController({ pace }: { readonly pace: number }): Controller {
  return controller(Namespace, {
    name: 'demo-season',
    select: ({ metadata }) => metadata.name === namespace,
    steps: [pass => layOut(pass, pace)],
  })
}

async function layOut({ store, now }: Pass<Namespace>, pace: number): Promise<Step<Namespace>> {
  for (const [name, spec] of Object.entries(nests)) {
    const metadata = { name, namespace, labels: { [seasonLabel]: 'spring' } }
    await store.create(Nest, { metadata, spec }).catch(undefinedIf('AlreadyExists'))
  }
  return again(now + 6 * pace)
}
