import { allKinds } from '../../kinds/index.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { aviaryCommand } from '../program.ts'

/** `aviary completion`: commands, their options, and kinds; the same words for every shell. */
export async function run([shell = '']: readonly string[], _options: object, io: Io): Promise<number> {
  const script = scripts[shell]
  if (script === undefined) {
    io.err(`error: there is no completion for "${shell}"\nfix: use one of ${Object.keys(scripts).join(', ')}\n`)
    return exitCodes.usage
  }
  const commands = aviaryCommand(io, () => {}).commands.map(command => ({
    name: command.name(),
    words: [...command.commands.map(inner => inner.name()), ...command.options.flatMap(option => option.long ?? [])],
    takesKinds: command.registeredArguments.some(argument => ['kind', 'object'].includes(argument.name())),
  }))
  io.out(
    script(
      commands,
      allKinds.map(kind => kind.plural),
    ),
  )
  return exitCodes.ok
}

interface CommandWords {
  readonly name: string
  readonly words: readonly string[]
  readonly takesKinds: boolean
}

type Script = (commands: readonly CommandWords[], kinds: readonly string[]) => string

const scripts: Readonly<Record<string, Script>> = {
  bash: (commands, kinds) => `_aviary() {
  local current=\${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ]; then words="${commands.map(({ name }) => name).join(' ')}"
  else case \${COMP_WORDS[1]} in
${commands.map(({ name, words, takesKinds }) => `    ${name}) words="${[...words, ...(takesKinds ? kinds : [])].join(' ')}" ;;`).join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _aviary aviary
`,
  zsh: (commands, kinds) => `#compdef aviary
_aviary() {
  local -a found
  if (( CURRENT == 2 )); then found=(${commands.map(({ name }) => name).join(' ')})
  else case $words[2] in
${commands.map(({ name, words, takesKinds }) => `    ${name}) found=(${[...words, ...(takesKinds ? kinds : [])].join(' ')}) ;;`).join('\n')}
  esac; fi
  compadd -a found
}
compdef _aviary aviary
`,
  fish: (commands, kinds) =>
    [
      'complete -c aviary -f',
      ...commands.map(({ name }) => `complete -c aviary -n __fish_use_subcommand -a ${name}`),
      ...commands.flatMap(({ name, words, takesKinds }) => {
        const inner = [...words, ...(takesKinds ? kinds : [])]
        return inner.length === 0 ? [] : [`complete -c aviary -n '__fish_seen_subcommand_from ${name}' -a '${inner.join(' ')}'`]
      }),
      '',
    ].join('\n'),
}
