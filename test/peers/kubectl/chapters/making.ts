import { type Chapter, nest } from '../step.ts'

export const making: Chapter = {
  title: 'making objects',
  steps: [
    { run: 'create namespace wood' },
    { run: 'create namespace wood' },
    { run: 'create -f -', stdin: nest('robin', '  eggs: 3\n') },
    { run: 'create -f -', stdin: nest('robin', '  eggs: 3\n') },
    { run: 'create -f - -o name', stdin: nest('owl', '  eggs: 2\n  material: down\n  site: oak\n', '  labels: {size: big}\n') },
    { run: 'create -f - --dry-run=server', stdin: nest('ghost', '  eggs: 1\n') },
    { run: 'create -f - --dry-run=client', stdin: nest('ghost', '  eggs: 1\n') },
    { run: 'get nest ghost -n wood' },
    { run: 'create -f -', stdin: nest('bad', '  eggs: 99\n') },
    { run: 'create -f -', stdin: nest('bad', '  material: straw\n') },
    { run: 'create -f -', stdin: nest('bad', '  eggs: many\n') },
    { run: 'create -f -', stdin: nest('bad', '  eggz: 1\n') },
    { run: 'create -f - --validate=warn', stdin: nest('wren', '  eggs: 4\n  eggz: 1\n') },
    { run: 'create -f - --validate=false', stdin: nest('tit', '  eggs: 5\n  eggz: 1\n') },
    { run: 'create -f -', stdin: nest('bad', '  guards:\n  - {name: a}\n  - {name: a}\n') },
    { run: 'create -f -', stdin: nest('Bad_Name', '  eggs: 1\n') },
    { run: 'create -f -', stdin: nest('bad', '  eggs: 1\n').replace('wood', 'nowhere') },
    { run: 'create -f - -n other', stdin: nest('bad', '  eggs: 1\n') },
    { run: 'create -f -', stdin: 'apiVersion: demo.aviary.dev/v1alpha1\nkind: Egg\nmetadata: {name: x}\n' },
    { run: 'create -f -', stdin: 'apiVersion: demo.aviary.dev/v1\nkind: Nest\nmetadata: {name: x}\n' },
    {
      run: 'create -f -',
      stdin: '{"apiVersion":"demo.aviary.dev/v1alpha1","kind":"Nest","metadata":{"generateName":"made-","namespace":"wood"}}',
    },
    { run: 'create -f -', stdin: nest('dup', '  eggs: 1\n  eggs: 2\n') },
  ],
}
