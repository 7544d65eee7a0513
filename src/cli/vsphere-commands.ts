import { Option } from 'commander'
import type { Command } from 'commander'
import type { CommandBuilder } from './command-builder.ts'
import { liveOutput } from './live-output.ts'

/** The commands that look at a vCenter itself, without a server in between. */
export function vsphereCommands(program: Command, { add }: CommandBuilder): void {
  const vsphere = program
    .command('vsphere')
    .description('Look at the vCenter of a configuration. No server needs to run.')
    .addHelpText('after', '\nExamples:\n  aviary vsphere doctor --config aviary.toml')
  configured(
    add(
      'doctor',
      'Check that the vCenter has and allows everything that the configuration needs; say what breaks without it, and how to fix it.',
      () => import('./commands/vsphere-doctor.ts'),
      ['vsphere doctor --config aviary.toml', 'vsphere doctor --config aviary.toml --template debian-12 -o json'],
      vsphere,
    ),
  )
    .option('--template <name...>', 'check these templates as well', [])
    .addOption(new Option('-o, --output <form>', 'how to print').choices(['table', 'json']).default('table'))
  liveOutput(
    configured(
      add(
        'vms [names...]',
        'Show VMs and templates as the vCenter has them now.',
        () => import('./commands/vsphere-vms.ts'),
        [
          'vsphere vms --config aviary.toml',
          'vsphere vms --config aviary.toml -o wide --watch',
          'vsphere vms worker-1 --config aviary.toml -o json',
        ],
        vsphere,
      ),
    ).option('--templates', 'only templates'),
  )
  liveOutput(
    configured(
      add(
        'tasks',
        'Show what is under way on the vCenter, whoever began it.',
        () => import('./commands/vsphere-tasks.ts'),
        ['vsphere tasks --config aviary.toml', 'vsphere tasks --config aviary.toml --watch'],
        vsphere,
      ),
    ),
  )
}

function configured(command: Command): Command {
  return command.requiredOption(
    '--config <file>',
    'the configuration, with a section [vsphere] or [hatchery.vsphere] (docs/configuration.md)',
  )
}
