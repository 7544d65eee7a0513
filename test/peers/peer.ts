/** What test files import to use a real program: where it is, or a running one. The table of them is peers.json. */
export { startEtcd } from './recipes/etcd.ts'
export type { Etcd, EtcdOptions } from './recipes/etcd.ts'
export { startKubeApiserver } from './recipes/kube-apiserver.ts'
export type { KubeApiserver, KubeApiserverOptions } from './recipes/kube-apiserver.ts'
export { startVcsim } from './recipes/vcsim.ts'
export type { Vcsim, VcsimOptions } from './recipes/vcsim.ts'
export { usePeer } from './set-up.ts'
