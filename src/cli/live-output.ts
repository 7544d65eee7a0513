import { type Command, Option } from 'commander'

/** How a table that changes by itself is printed. */
export function liveOutput(command: Command): Command {
  return command
    .addOption(new Option('-o, --output <form>', 'how to print').choices(['table', 'wide', 'json', 'name']).default('table'))
    .option('-w, --watch', 'show changes as they happen, until Ctrl-C')
}
