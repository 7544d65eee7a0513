import type { Command } from 'commander'
import type { CommandBuilder } from './command-builder.ts'

/** The commands about pools, claims and clusters. */
export function poolCommands(program: Command, { add, connecting, output }: CommandBuilder): void {
  const pool = program
    .command('pool')
    .description('Pools of clusters that are ready to be claimed.')
    .addHelpText('after', '\nExamples:\n  aviary pool show flock')
  output(connecting(add('list', 'Show pools.', () => import('./commands/pool-list.ts'), ['pool list', 'pool list -A'], pool))).option(
    '-A, --all-namespaces',
    'in all namespaces',
  )
  connecting(
    add('show <name>', 'Show a pool with its clusters and free names.', () => import('./commands/pool-show.ts'), ['pool show flock'], pool),
  )
  connecting(
    add(
      'scale <name> <size>',
      'Change how many unclaimed clusters a pool keeps.',
      () => import('./commands/pool-scale.ts'),
      ['pool scale flock 3'],
      pool,
    ),
  )
  connecting(
    add(
      'dns <name>',
      'Print the DNS records that must be there for each name of a pool’s inventory.',
      () => import('./commands/pool-dns.ts'),
      ['pool dns flock', 'pool dns flock --check'],
      pool,
    ),
  ).option('--check', 'resolve them, and say which are missing')

  const claim = program
    .command('claim')
    .description('Wishes for clusters of pools.')
    .addHelpText('after', '\nExamples:\n  aviary claim create mine --pool flock --wait')
  connecting(
    add(
      'create <name>',
      'Claim a cluster of a pool.',
      () => import('./commands/claim-create.ts'),
      ['claim create mine --pool flock --wait', 'claim create ci --pool flock --lifetime 4h --group testers'],
      claim,
    ),
  )
    .requiredOption('--pool <name>', 'the pool, in the same namespace')
    .option('--lifetime <duration>', 'how long the claim lives once it has a cluster')
    .option('--user <name...>', 'who is given access to the cluster', [])
    .option('--group <name...>', 'groups that are given access to the cluster', [])
    .option('--wait', 'wait until the cluster runs')
    .option('--timeout <duration>', 'how long to wait', '1h')
  output(connecting(add('list', 'Show claims.', () => import('./commands/claim-list.ts'), ['claim list', 'claim list -A'], claim))).option(
    '-A, --all-namespaces',
    'in all namespaces',
  )
  connecting(
    add(
      'kubeconfig <name>',
      'Print the kubeconfig of a claim’s cluster.',
      () => import('./commands/claim-kubeconfig.ts'),
      ['claim kubeconfig mine > mine.kubeconfig'],
      claim,
    ),
  )
  connecting(
    add(
      'delete <names...>',
      'Give clusters back; they are removed.',
      () => import('./commands/claim-delete.ts'),
      ['claim delete mine'],
      claim,
    ),
  )
    .option('--no-wait', 'do not wait until they are gone')
    .option('--timeout <duration>', 'how long to wait', '1h')

  const cluster = program
    .command('cluster')
    .description('Clusters, of pools or not.')
    .addHelpText('after', '\nExamples:\n  aviary cluster list')
  output(
    connecting(
      add('list', 'Show clusters.', () => import('./commands/cluster-list.ts'), ['cluster list', 'cluster list -o wide'], cluster),
    ),
  )
  connecting(
    add(
      'power <name> <on|off>',
      'Have a claimed cluster run or hibernate.',
      () => import('./commands/cluster-power.ts'),
      ['cluster power heron-x7k2p off'],
      cluster,
    ),
  )
  connecting(
    add('log <name>', 'Print what the installer said.', () => import('./commands/cluster-log.ts'), ['cluster log heron-x7k2p'], cluster),
  )
}
