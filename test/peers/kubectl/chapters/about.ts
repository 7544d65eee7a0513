import type { Chapter } from '../step.ts'

export const about: Chapter = {
  title: 'what the server is and can do',
  steps: [
    { run: 'version -o json', silent: 'every server has its own version' },
    { run: 'version' },
    { run: 'api-resources --api-group=demo.aviary.dev' },
    { run: 'api-resources --api-group=demo.aviary.dev -o wide', silent: 'the order of verbs is nobody’s promise' },
    { run: 'api-resources --api-group=coordination.k8s.io' },
    { run: 'api-versions', silent: 'the real server has many more' },
    { run: 'explain nest --recursive' },
    { run: 'explain nest.spec' },
    { run: 'explain nest.spec.eggs' },
    { run: 'explain nest.spec.guards.name' },
    { run: 'explain nest.spec.feathers' },
    { run: 'explain eggs' },
    { run: 'auth can-i create nests -n wood' },
    { run: 'auth can-i --list -n wood', silent: 'every server has its own rules' },
    { run: 'auth can-i get /healthz' },
    { run: 'auth whoami', silent: 'every server has its own users' },
    { run: 'get crd nests.demo.aviary.dev' },
    { run: 'get crd nests.demo.aviary.dev -o jsonpath={.spec.names.kind}/{.spec.scope}' },
    { run: 'wait crd/nests.demo.aviary.dev --for=condition=Established --timeout=20s' },
    { run: 'get --raw /healthz' },
    { run: 'get --raw /readyz/ping' },
    { run: 'get --raw /no/such/path' },
  ],
}
