import { type Chapter, nest } from '../step.ts'

const get = "get nest jay -n wood -o jsonpath='{.spec} {.metadata.labels} {.metadata.annotations} {.metadata.generation} {.status}'"

export const changing: Chapter = {
  title: 'changing objects',
  steps: [
    { run: 'create -f -', stdin: nest('jay', '  eggs: 2\n  site: beech\n') },
    { run: 'patch nest jay -n wood --type=merge -p \'{"spec":{"eggs":3}}\'' },
    { run: 'patch nest jay -n wood --type=merge -p \'{"spec":{"eggs":3}}\'' },
    {
      run: 'patch nest jay -n wood --type=json -p \'[{"op":"replace","path":"/spec/eggs","value":4},{"op":"add","path":"/spec/guards","value":[{"name":"x"}]}]\'',
    },
    { run: 'patch nest jay -n wood --type=json -p \'[{"op":"test","path":"/spec/eggs","value":1}]\'' },
    { run: 'patch nest jay -n wood -p \'{"spec":{"eggs":5}}\'' },
    { run: 'patch nest jay -n wood --type=merge -p \'{"spec":{"eggs":50}}\'' },
    { run: 'patch nest jay -n wood --type=merge -p \'{"spec":{"site":"elm"}}\'' },
    { run: 'patch nest jay -n wood --type=merge -p \'{"spec":{"eggz":5}}\'' },
    { run: 'patch nest jay -n wood --type=merge -p \'{"metadata":{"resourceVersion":"1"}}\'' },
    { run: "patch nest jay -n wood --type=merge -p '{bad'" },
    { run: 'patch nest nobody -n wood --type=merge -p \'{"spec":{"eggs":5}}\'' },
    {
      run: 'patch nest jay -n wood --type=merge --subresource=status -p \'{"status":{"phase":"Brooding","hatched":1},"spec":{"eggs":9}}\'',
    },
    { run: 'patch nest jay -n wood --type=merge -p \'{"status":{"phase":"Hatched"}}\'' },
    { run: get },
    { run: 'get nest jay -n wood --subresource=status' },
    { run: 'get nest jay -n wood --subresource=scale -o jsonpath={.spec.replicas}/{.status.replicas}' },
    { run: 'label nest jay -n wood loud=yes' },
    { run: 'label nest jay -n wood loud=no' },
    { run: 'label nest jay -n wood loud=no --overwrite' },
    { run: 'label nest jay -n wood loud-' },
    { run: 'label nest jay -n wood loud-' },
    { run: "label nest jay -n wood 'bad key=x'" },
    { run: 'annotate nest jay -n wood note=seen' },
    { run: 'annotate nest jay -n wood note-' },
    { run: 'annotate nests -n wood -l size=big seen=yes' },
    { run: 'scale nest jay -n wood --replicas=6' },
    { run: 'scale nest jay -n wood --replicas=6 --current-replicas=2' },
    { run: 'scale nest jay -n wood --replicas=60' },
    { run: 'scale nest nobody -n wood --replicas=6' },
    { run: 'edit nest jay -n wood', editor: 'sed -i s/eggs:.6/eggs:.8/' },
    { run: 'edit nest jay -n wood', editor: 'true' },
    { run: get },
    { run: 'delete nest jay -n wood' },
  ],
}
