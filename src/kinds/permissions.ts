/*
 * What the program does to objects of each resource on a Kubernetes API server: the source of deploy/kubernetes/rbac.yaml. No `escalate`:
 * a Role can only give what its maker may do. `bind` is there for one ClusterRole, by name.
 */

/** A rule as a Kubernetes ClusterRole has it. */
export interface Permission {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

const read = ['get', 'list', 'watch']

function permission(group: string, resources: readonly string[], verbs: readonly string[]): Permission {
  return { apiGroups: [group], resources, verbs }
}

/** Everything that the program may do. */
export const permissions: readonly Permission[] = [
  permission('hive.openshift.io', ['clusterimagesets'], read),
  permission('hive.openshift.io', ['clusterpools'], [...read, 'update']),
  permission('hive.openshift.io', ['clusterclaims'], [...read, 'update', 'delete']),
  // `patch` only because claim owners get it: nobody can give what they do not have.
  permission('hive.openshift.io', ['clusterdeployments'], [...read, 'create', 'update', 'patch', 'delete']),
  permission('hive.openshift.io', ['clusterdeploymentcustomizations'], [...read, 'create', 'update']),
  permission('hive.openshift.io', ['clusterprovisions', 'clusterdeprovisions'], [...read, 'create', 'update', 'delete']),
  permission(
    'hive.openshift.io',
    ['clusterpools', 'clusterclaims', 'clusterdeployments', 'clusterdeploymentcustomizations', 'clusterdeprovisions'].map(
      plural => `${plural}/status`,
    ),
    ['update'],
  ),
  permission('hatchery.aviary.dev', ['spawns'], [...read, 'create', 'update', 'delete']),
  permission('hatchery.aviary.dev', ['spawns/status'], ['update']),
  permission('platform.aviary.dev', ['addressleases'], [...read, 'create', 'update', 'delete']),
  permission('platform.aviary.dev', ['addressleases/status'], ['update']),
  permission('demo.aviary.dev', ['nests'], [...read, 'update', 'delete']),
  permission('demo.aviary.dev', ['nests/status'], ['update']),
  permission('', ['namespaces'], [...read, 'create', 'delete']),
  permission('', ['secrets'], ['get', 'create', 'update']),
  permission('', ['configmaps'], ['get']),
  permission('', ['events'], [...read, 'create', 'update', 'delete']),
  permission('', ['nodes'], read),
  permission('coordination.k8s.io', ['leases'], [...read, 'create', 'update']),
  permission('rbac.authorization.k8s.io', ['roles', 'rolebindings'], [...read, 'create', 'update', 'delete']),
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['clusterroles'],
    resourceNames: ['hive-cluster-pool-admin'],
    verbs: ['bind'],
  },
]
