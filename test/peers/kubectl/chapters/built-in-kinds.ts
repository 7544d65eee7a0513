import type { Chapter } from '../step.ts'

const event = (name: string, count: number) => `apiVersion: v1
kind: Event
metadata: {name: ${name}, namespace: wood}
involvedObject: {apiVersion: demo.aviary.dev/v1alpha1, kind: Nest, name: owl, namespace: wood}
reason: Hatched
message: ${count} hatched
type: Normal
count: ${count}
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:0${count}Z"
source: {component: brooder}
`

export const builtInKinds: Chapter = {
  title: 'kinds of Kubernetes itself',
  steps: [
    { run: 'create configmap cm -n wood --from-literal=a=1 --from-literal=b=' },
    { run: 'create configmap cm -n wood --from-literal=a=1' },
    { run: 'get configmaps -n wood --field-selector metadata.name=cm' },
    { run: 'get cm cm -n wood -o yaml' },
    { run: 'describe configmap cm -n wood' },
    { run: 'patch cm cm -n wood -p \'{"data":{"c":"3","b":null}}\'' },
    { run: 'patch cm cm -n wood -p \'{"metadata":{"finalizers":["a.b/x"]}}\'' },
    { run: 'patch cm cm -n wood -p \'{"metadata":{"finalizers":["a.b/y"]}}\'' },
    { run: 'patch cm cm -n wood -p \'{"metadata":{"$deleteFromPrimitiveList/finalizers":["a.b/x"]}}\'' },
    { run: "get cm cm -n wood -o jsonpath='{.data} {.metadata.finalizers}'" },
    { run: 'patch cm cm -n wood -p \'{"metadata":{"finalizers":null}}\'' },
    { run: 'patch cm cm -n wood -p \'{"data":{"$patch":"replace","z":"9"}}\'' },
    { run: 'get cm cm -n wood -o jsonpath={.data}' },
    { run: 'label cm cm -n wood a=b' },
    { run: 'edit cm cm -n wood', editor: 'sed -i s/z:.*/z:.new/' },
    { run: 'delete cm cm -n wood' },
    { run: 'create secret generic s -n wood --from-literal=user=ann --from-literal=password=öß' },
    { run: 'get secrets -n wood' },
    { run: 'get secret s -n wood -o jsonpath={.data}' },
    { run: 'describe secret s -n wood' },
    { run: 'patch secret s -n wood -p \'{"stringData":{"user":"bob"}}\'' },
    { run: 'get secret s -n wood -o jsonpath={.data.user}' },
    { run: 'get secrets -n wood --field-selector type=Opaque -o name' },
    { run: 'delete secret s -n wood' },
    { run: 'get namespace wood' },
    { run: 'get ns wood -o yaml' },
    { run: 'describe ns wood', silent: 'it asks for quotas and limits, which only the real server has' },
    { run: 'label ns wood kind=forest' },
    { run: 'create ns Bad_Name' },
    { run: 'create ns clearing -o name' },
    { run: 'delete ns clearing --wait=false' },
    { run: 'get ns clearing -o jsonpath={.status.phase}{.spec.finalizers}' },
    { run: 'create configmap late -n clearing' },
    { run: 'create -f -', stdin: event('owl.1', 1) },
    { run: 'create -f -', stdin: event('owl.2', 2) },
    { run: 'get events -n wood' },
    { run: 'get events -n wood --field-selector involvedObject.name=owl,reason=Hatched -o name' },
    { run: 'events -n wood' },
    { run: 'events -n wood --for nest/owl' },
    { run: 'describe nest owl -n wood' },
    { run: 'delete events -n wood --all' },
    {
      run: 'apply -f -',
      stdin:
        'apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: leader, namespace: wood}\nspec: {holderIdentity: me, leaseDurationSeconds: 15}\n',
    },
    { run: 'get leases -n wood' },
    { run: 'delete lease leader -n wood' },
    { run: 'create -f -', stdin: 'apiVersion: v1\nkind: Node\nmetadata: {name: host-1, labels: {node-role.kubernetes.io/worker: ""}}\n' },
    { run: 'patch node host-1 -p \'{"spec":{"unschedulable":true}}\'' },
    { run: 'taint node host-1 a=b:NoSchedule' },
    { run: 'get nodes' },
    { run: 'uncordon host-1' },
    { run: 'get node host-1 -o jsonpath={.spec}' },
    { run: 'delete node host-1' },
  ],
}
