import { KubeconfigNotValid } from './errors.ts'
import type { ClusterEntry, UserEntry } from './kubeconfig-file.ts'
import type { Entry, Kubeconfig } from './read-kubeconfig.ts'

/** What one context of a kubeconfig leads to. */
export interface ChosenContext {
  readonly name: string
  readonly namespace: string | undefined
  readonly cluster: Entry<ClusterEntry>
  /** `FILE, cluster "prod"` */
  readonly clusterAt: string
  readonly user: Entry<UserEntry>
  /** `FILE, user "admin"` */
  readonly userAt: string
}

/** Finds the cluster and the user of a context: of the named one, or else of the current one. */
export function chosenContext(config: Kubeconfig, wanted: string | undefined): ChosenContext {
  const files = config.files.join(', ')
  const name = wanted ?? config.currentContext
  const known = [...config.contexts.keys()]
  const choose = known.length === 0 ? 'add one with kubectl config set-context' : `choose one of ${known.join(', ')} with --context`
  if (name === undefined) throw KubeconfigNotValid({ where: files, why: 'no current-context is set', fix: choose })
  const context = config.contexts.get(name)
  if (context === undefined) throw KubeconfigNotValid({ where: files, why: `there is no context "${name}"`, fix: choose })

  const { cluster: clusterName, user: userName, namespace } = context.value
  const missing = (what: string) => {
    const fix = `add it there, or choose another context with --context`
    return KubeconfigNotValid({ where: `${context.file}, context "${name}"`, why: `there is no ${what}`, fix })
  }
  const cluster = config.clusters.get(clusterName)
  if (cluster === undefined) throw missing(`cluster "${clusterName}"`)
  // A context without a user is one for anonymous access.
  const user = userName ? config.users.get(userName) : { ...context, value: {} }
  if (user === undefined) throw missing(`user "${userName}"`)
  return {
    name,
    namespace: namespace || undefined,
    cluster,
    clusterAt: `${cluster.file}, cluster "${clusterName}"`,
    user,
    userAt: `${user.file}, user "${userName ?? ''}"`,
  }
}
