import { type Chapter, nest } from '../step.ts'

const heron = nest('heron', '  eggs: 2\n  guards:\n  - {name: ann, post: reed}\n  - {name: bob}\n')
const changed = nest('heron', '  eggs: 4\n  guards:\n  - {name: bob, post: bank}\n', '  labels: {colour: grey}\n')
const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map, namespace: wood}\ndata: {a: "1", b: "2"}\n'
const mapChanged = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map, namespace: wood, labels: {x: y}}\ndata: {b: "3", c: "4"}\n'

export const applying: Chapter = {
  title: 'applying manifests',
  steps: [
    { run: 'diff -f heron.yaml', files: { 'heron.yaml': heron } },
    { run: 'apply -f heron.yaml' },
    { run: 'apply -f heron.yaml' },
    { run: 'diff -f heron.yaml' },
    { run: 'apply -f changed.yaml --dry-run=server', files: { 'changed.yaml': changed } },
    { run: 'diff -f changed.yaml' },
    { run: 'apply -f changed.yaml' },
    { run: 'get nest heron -n wood -o jsonpath={.spec}{.metadata.labels}{.metadata.generation}' },
    { run: 'apply -f -', stdin: nest('heron', '  eggs: 40\n') },
    { run: 'apply -f -', stdin: nest('heron', '  eggz: 4\n') },
    { run: 'apply view-last-applied nest heron -n wood' },
    { run: 'apply -f map.yaml', files: { 'map.yaml': map } },
    { run: 'apply -f map.yaml' },
    { run: 'diff -f map-changed.yaml', files: { 'map-changed.yaml': mapChanged } },
    { run: 'apply -f map-changed.yaml' },
    { run: 'get configmap map -n wood -o jsonpath={.data}{.metadata.labels}' },
    { run: 'apply -f - -o name', stdin: `${nest('pair-a', '  eggs: 1\n')}---\n${nest('pair-b', '  eggs: 1\n')}` },
    { run: 'apply -f . -n wood --prune -l none=such', silent: 'pruning looks at many kinds that only the real server has' },
    { run: 'replace -f -', stdin: nest('pair-a', '  eggs: 7\n') },
    { run: 'replace -f -', stdin: nest('nobody', '  eggs: 7\n') },
    { run: 'replace --force -f -', stdin: nest('pair-b', '  eggs: 8\n') },
    { run: 'get nests -n wood pair-a pair-b' },
    { run: 'delete -f -', stdin: `${nest('pair-a', '  eggs: 1\n')}---\n${nest('pair-b', '  eggs: 1\n')}` },
    { run: 'delete -f heron.yaml' },
    { run: 'delete -f map.yaml' },
  ],
}
