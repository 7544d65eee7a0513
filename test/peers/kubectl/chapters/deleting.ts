import { type Chapter, nest } from '../step.ts'

const held = (name: string) => nest(name, '  eggs: 1\n', '  finalizers: [demo.aviary.dev/hold]\n')
const release = (name: string) => ({ run: `patch nest ${name} -n wood --type=merge -p '{"metadata":{"finalizers":null}}'` })

export const deleting: Chapter = {
  title: 'deleting objects',
  steps: [
    { run: 'create -f -', stdin: nest('gone', '  eggs: 1\n') },
    { run: 'delete nest gone -n wood --dry-run=server' },
    { run: 'delete nest gone -n wood' },
    { run: 'delete nest gone -n wood' },
    { run: 'delete nest gone -n wood --ignore-not-found' },
    { run: 'create -f -', stdin: held('held') },
    { run: 'delete nest held -n wood --wait=false' },
    { run: "get nest held -n wood -o jsonpath='{.metadata.finalizers} {.metadata.deletionGracePeriodSeconds} {.metadata.generation}'" },
    { run: 'patch nest held -n wood --type=merge -p \'{"metadata":{"finalizers":["demo.aviary.dev/hold","demo.aviary.dev/more"]}}\'' },
    { run: 'delete nest held -n wood --timeout=1s' },
    // Talkative, so that one can see when it has begun to watch.
    {
      run: 'wait nest/held -n wood --for=delete --timeout=20s -v=6',
      during: { steps: [release('held')], after: /watch=true.*200 OK/, until: /condition met/ },
    },
    { run: 'create -f -', stdin: held('watched') },
    { run: 'delete nest watched -n wood', during: { steps: [release('watched')], until: /deleted/ } },
    { run: 'create -f -', stdin: nest('orphan', '  eggs: 1\n') },
    { run: 'delete nest orphan -n wood --cascade=orphan --wait=false' },
    { run: 'get nest orphan -n wood -o jsonpath={.metadata.finalizers}' },
    release('orphan'),
    { run: 'create -f -', stdin: nest('front', '  eggs: 1\n') },
    { run: 'delete nest front -n wood --cascade=foreground --wait=false' },
    { run: 'get nest front -n wood -o jsonpath={.metadata.finalizers}' },
    release('front'),
    {
      run: 'create -f -',
      stdin: `${nest('many-a', '  eggs: 1\n', '  labels: {many: a}\n')}---\n${nest('many-b', '  eggs: 1\n', '  labels: {many: b}\n')}`,
    },
    { run: 'delete nests -n wood -l many -o name' },
    { run: 'create -f -', stdin: `${nest('many-a', '  eggs: 1\n')}---\n${nest('many-b', '  eggs: 1\n')}` },
    { run: 'delete nests -n wood many-a many-b nobody' },
    { run: 'delete eggs x -n wood' },
  ],
}
