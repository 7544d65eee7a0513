import { Command, Option } from 'commander'
import type { CommandBuilder } from './command-builder.ts'
import { hatcheryCommands } from './hatchery-commands.ts'
import type { Io } from './io.ts'
import { outputForms } from './output/forms.ts'
import { poolCommands } from './pool-commands.ts'
import { version } from './version.ts'
import { vsphereCommands } from './vsphere-commands.ts'

/** The whole command line. `done` is told the exit code of the command that ran. */
export function aviaryCommand(io: Io, done: (code: number) => void): Command {
  const program = new Command('aviary')
    .description('A control plane for fleets of virtual machines in private clouds.')
    .version(`aviary ${version}`, '-V, --version', 'print the version')
    .addHelpText('after', examplesText(['up', 'get nests', 'why nest/robin', 'hatchery workers --watch', 'pool list']))
    .showHelpAfterError('(aviary --help shows all commands)')
    .showSuggestionAfterError()
    // What stands after the name of a command belongs to that command.
    .enablePositionalOptions()

  const add: CommandBuilder['add'] = (name, description, load, examples, parent = program) => {
    const command = parent.command(name).description(description)
    command.addHelpText('after', examplesText(examples))
    return command.action(async (...given: unknown[]) => {
      const [operands, options] = [given.slice(0, -2).flat() as (string | undefined)[], given.at(-2)]
      const { run } = await load()
      done(
        (await run(
          operands.filter(text => text !== undefined),
          options as never,
          io,
        )) ?? 0,
      )
    })
  }

  add('up', 'Start Aviary here and run until Ctrl-C.', () => import('./commands/up.ts'), [
    'up',
    'up --config aviary.toml',
    'up --data-dir /var/lib/aviary --listen 0.0.0.0:7443',
  ])
    .option('--config <file>', 'the configuration (docs/configuration.md); without one the demo runs')
    .option('--data-dir <folder>', 'the folder that holds all it must keep (server.dataDir)')
    .option('--listen <host:port>', 'where to listen (server.listen)')
    .addOption(new Option('--engine <kind>', 'where objects live (engine.kind)').choices(['embedded', 'kubernetes']))
    .option('--kubeconfig <file>', `the cluster, with --engine kubernetes (engine.kubeconfig); else ${clusterOrder}`)

  const get = add('get <kind> [names...]', 'Show objects.', () => import('./commands/get.ts'), [
    'get nests',
    'get nest robin -o yaml',
    'get nests -A -l season=spring --watch',
  ])
  output(selecting(connecting(get))).option('-w, --watch', 'show changes as they happen, until Ctrl-C')

  connecting(
    add(
      'describe <kind> [names...]',
      'Show everything about objects: fields, conditions, what happened lately.',
      () => import('./commands/describe.ts'),
      ['describe nest robin', 'describe nest/robin nest/wren'],
    ),
  )

  connecting(
    add(
      'why <object> [name]',
      'Say what an object waits for, since when, until when, what happens then, and what would end it sooner.',
      () => import('./commands/why.ts'),
      ['why nest/robin', 'why nest robin -n forest', 'why job/1', 'why worker/brisk-robin'],
    ),
  )

  const apply = add(
    'apply',
    'Make objects what files say. All are checked before the first is written.',
    () => import('./commands/apply.ts'),
    ['apply -f nests.yaml', 'apply -f - < nest.yaml', 'apply -f nests.yaml --dry-run'],
  )
  connecting(apply)
    .requiredOption('-f, --filename <file...>', 'YAML or JSON with one or more objects; - for standard input')
    .option('--dry-run', 'check everything, change nothing')

  const remove = add('delete [kind] [names...]', 'Remove objects.', () => import('./commands/delete.ts'), [
    'delete nest robin',
    'delete nests -l season=winter',
    'delete -f nests.yaml --no-wait',
  ])
  connecting(remove)
    .option('-f, --filename <file...>', 'remove the objects of these files')
    .option('-l, --selector <labels>', 'those whose labels match')
    .option('--all', 'all of the kind in the namespace')
    .option('--ignore-not-found', 'it is well if they are gone already')
    .option('--no-wait', 'do not wait until they are gone')
    .option('--timeout <duration>', 'how long to wait', '5m')

  connecting(
    add('wait <kind> [names...]', 'Wait until objects are as they should be.', () => import('./commands/wait.ts'), [
      'wait nest/robin --for condition=Ready',
      'wait nest robin --for jsonpath=.status.phase=Hatched --timeout 10m',
      'wait nests -l season=winter --for delete',
    ]),
  )
    .requiredOption('--for <what>', 'condition=TYPE[=STATUS], jsonpath=PATH[=VALUE], or delete')
    .option('-l, --selector <labels>', 'those whose labels match')
    .option('--timeout <duration>', 'how long to wait', '30s')

  connecting(
    add('events', 'Show what happened lately.', () => import('./commands/events.ts'), [
      'events',
      'events --for nest/robin',
      'events -A --watch',
    ]),
  )
    .option('--for <object>', 'only what happened to this object, KIND/NAME')
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('-w, --watch', 'go on, until Ctrl-C')

  const crds = add('crds', 'Print the definitions of all kinds, for a Kubernetes cluster.', () => import('./commands/crds.ts'), [
    'crds',
    'crds | kubectl apply --server-side -f -',
    'crds install --kubeconfig admin.yaml',
  ])
  add(
    'install',
    'Install or bring up to date the kinds in a Kubernetes cluster.',
    () => import('./commands/crds-install.ts'),
    ['crds install --kubeconfig admin.yaml', 'crds install --context production'],
    crds,
  )
    .option('--kubeconfig <file>', `the cluster; else ${clusterOrder}`)
    .option('--context <name>', 'a context of the kubeconfig')
    .option('--adopt', 'take over definitions that something else installed')

  connecting(
    add('backup <file>', 'Save a consistent copy of a running server’s database.', () => import('./commands/backup.ts'), [
      'backup aviary-2026-11-15.db',
    ]),
  )

  const config = program
    .command('config')
    .description('Look at configuration files.')
    .addHelpText('after', examplesText(['config check aviary.toml']))
  add(
    'check [file]',
    'Say everything that is wrong with a configuration file.',
    () => import('./commands/config-check.ts'),
    ['config check aviary.toml'],
    config,
  ).option('--config <file>', 'the file, as other commands take it')
  add(
    'show [file]',
    'Print the effective configuration with all defaults, secrets masked.',
    () => import('./commands/config-show.ts'),
    ['config show aviary.toml'],
    config,
  ).option('--config <file>', 'the file, as other commands take it')

  const token = program
    .command('token')
    .description('Keys to the API.')
    .addHelpText('after', examplesText(['token create ci --user ci-bot --expires 720h']))
  connecting(
    add(
      'create <name>',
      'Make a bearer token and print it, once.',
      () => import('./commands/token-create.ts'),
      ['token create ci --user ci-bot --group robots --expires 720h'],
      token,
    ),
  )
    .requiredOption('--user <name>', 'whom it stands for')
    .option('--group <name...>', 'the groups of that user', [])
    .option('--expires <duration>', 'how long it works; without this for ever')
    .option('--description <text>', 'what it is for')
  connecting(add('revoke <name>', 'Make a token worthless.', () => import('./commands/token-revoke.ts'), ['token revoke ci'], token))

  const builder: CommandBuilder = { add, connecting, output }
  hatcheryCommands(builder)
  poolCommands(program, builder)
  vsphereCommands(program, builder)

  connecting(
    add('version', 'Print the version of this program, and of the server if one answers.', () => import('./commands/version.ts'), [
      'version',
      'version --client',
    ]),
  ).option('--client', 'only of this program')
  add('completion <shell>', 'Print a completion script for bash, zsh or fish.', () => import('./commands/completion.ts'), [
    'completion bash > /etc/bash_completion.d/aviary',
  ])

  talkThrough(program, io)
  for (const command of program.commands) pointToHelp(command, 'aviary')
  return program
}

function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map(example => `  aviary ${example}`).join('\n')}`
}

/** Who made a mistake in a command is shown the way to the help of that command, not of all. */
function pointToHelp(command: Command, parent: string): void {
  const name = `${parent} ${command.name()}`
  command.showHelpAfterError(`(${name} --help shows its options and examples)`)
  for (const inner of command.commands) pointToHelp(inner, name)
}

/** Where a cluster is looked for that is not named. */
const clusterOrder = 'KUBECONFIG, the service account of a pod, or ~/.kube/config'

/** Which server, as whom, where. */
function connecting(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'how to reach the server; else AVIARY_KUBECONFIG, KUBECONFIG, data/kubeconfig, or kubectl’s own')
    .option('--context <name>', 'a context of the kubeconfig')
    .option('-n, --namespace <name>', 'the namespace; else that of the context, or default')
}

function selecting(command: Command): Command {
  return command
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('-l, --selector <labels>', 'those whose labels match, such as season=spring,!old')
    .option('--field-selector <fields>', 'those whose fields match, such as metadata.name=robin')
}

function output(command: Command): Command {
  return command.addOption(new Option('-o, --output <form>', 'how to print').choices(outputForms).default('table'))
}

/** Commander writes and ends through the io, in every command. */
function talkThrough(command: Command, io: Io): void {
  command
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      getOutHelpWidth: () => io.columns ?? 100,
      getErrHelpWidth: () => io.columns ?? 100,
    })
    .exitOverride()
  for (const each of command.commands) talkThrough(each, io)
}
