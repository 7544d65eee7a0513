import { type Chapter, nest } from '../step.ts'

const ready = (status: string) =>
  `{"status":{"phase":"Brooding","conditions":[{"type":"Ready","status":"${status}","reason":"Because","message":"it is so","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`
const report = (status: string) => ({ run: `patch nest kite -n wood --type=merge --subresource=status -p '${ready(status)}'` })
const eggs = (count: number) => ({ run: `patch nest kite -n wood --type=merge -p '{"spec":{"eggs":${count}}}'` })

export const waiting: Chapter = {
  title: 'watching and waiting',
  steps: [
    { run: 'create -f -', stdin: nest('kite', '  eggs: 2\n') },
    { run: 'wait nest/kite -n wood --for=condition=Ready --timeout=1s' },
    { run: 'wait nest/kite -n wood --for=condition=Ready --timeout=20s', during: { steps: [report('True')], until: /condition met/ } },
    {
      run: 'wait nest/kite -n wood --for=condition=Ready=false --timeout=20s',
      during: { steps: [report('False')], until: /condition met/ },
    },
    { run: "wait nest/kite -n wood --for=jsonpath='{.spec.eggs}'=2" },
    { run: "wait nest/kite -n wood --for=jsonpath='{.spec.eggs}'=3 --timeout=20s", during: { steps: [eggs(3)], until: /condition met/ } },
    { run: 'wait nest/nobody -n wood --for=condition=Ready --timeout=1s' },
    { run: 'wait nest/nobody -n wood --for=delete --timeout=1s' },
    {
      run: 'wait nest/later -n wood --for=create --timeout=20s',
      during: { steps: [{ run: 'create -f -', stdin: nest('later', '  eggs: 1\n') }], until: /condition met/ },
    },
    {
      run: 'get nests kite -n wood --watch',
      during: { steps: [eggs(4), report('True'), eggs(5)], after: /kite/, until: /kite +5/ },
    },
    { run: 'label nest later -n wood flock=yes' },
    {
      run: 'get nests -n wood --watch -l flock=yes --output-watch-events',
      during: {
        steps: [
          { run: 'label nest kite -n wood flock=yes' },
          { run: 'label nest kite -n wood flock=no --overwrite' },
          { run: 'delete nest later -n wood' },
        ],
        after: /later/,
        until: /DELETED +later/,
      },
    },
    { run: 'get nests -n wood --watch-only --request-timeout=1s', silent: 'it ends with its time, in words that depend on it' },
    { run: 'describe nest kite -n wood' },
    { run: 'delete nest kite -n wood' },
  ],
}
