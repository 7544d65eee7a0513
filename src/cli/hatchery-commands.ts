import type { CommandBuilder, Load } from './command-builder.ts'
import { liveOutput } from './live-output.ts'

/** The commands about CI workers for CDS. */
export function hatcheryCommands({ add, connecting }: CommandBuilder): void {
  const hatchery = add(
    'hatchery',
    'CI workers on VMs for jobs that wait in CDS. By itself: run the hatchery of a CDS operator’s file until Ctrl-C.',
    () => import('./commands/hatchery-run.ts'),
    ['hatchery --config cds.toml', 'hatchery --config cds.toml --data-dir /var/lib/aviary'],
  )
    .enablePositionalOptions()
    .option('--config <file>', 'the configuration, with a [hatchery.vsphere] section (docs/configuration.md)')
    .option('--data-dir <dir>', 'where spawns under way are kept between two runs; default: nowhere')
    .option('--listen <address:port>', 'where the API for the commands below is served')
  add(
    'check',
    'Print what a CDS operator’s file comes to, secrets masked; check that CDS lets it sign in, and that the vCenter has and allows all it needs.',
    () => import('./commands/hatchery-check.ts'),
    ['hatchery check --config cds.toml', 'hatchery check --config cds.toml --offline'],
    hatchery,
  )
    .requiredOption('--config <file>', 'the configuration, with a [hatchery.vsphere] section (docs/configuration.md)')
    .option('--offline', 'ask neither CDS nor the vCenter')

  const live = (name: string, description: string, load: Load) =>
    liveOutput(connecting(add(name, description, load, [`hatchery ${name}`, `hatchery ${name} --watch`], hatchery)))
  live('workers', 'Show workers: those that CDS knows and those that are being started.', () => import('./commands/hatchery-workers.ts'))
  live('pool', 'Show how many VMs stand ready, and why not more.', () => import('./commands/hatchery-pool.ts'))
  live('jobs', 'Show jobs that wait or are being started, and why they wait.', () => import('./commands/hatchery-jobs.ts'))
  live(
    'operations',
    'Show what the hatchery has under way on its vCenter, and what is held back and why.',
    () => import('./commands/hatchery-operations.ts'),
  )
  live('addresses', 'Show what became of the addresses of each network.', () => import('./commands/hatchery-addresses.ts'))
}
