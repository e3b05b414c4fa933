import * as table from './command-table.ts';
import { UsageError } from './exit-codes.ts';

const names = Object.keys(table.COMMANDS) as table.CommandName[];
const options = Object.keys(table.OPTIONS) as table.OptionName[];

/** @returns a script that adds completion of the command line to a shell */
export function completionScript(shell: string): string {
  switch (shell) {
    case 'bash':
      return bash();
    case 'zsh':
      // The script loads bashcompinit, which runs functions written for bash.
      return `#compdef tapedeck\nautoload -U +X bashcompinit && bashcompinit\n${bash()}`;
    case 'fish':
      return fish();
    default:
      throw new UsageError('completion bash, zsh or fish');
  }
}

function bash(): string {
  const flags = (name: table.CommandName): string =>
    table
      .optionsOf(name)
      .map((option) => `--${option}`)
      .join(' ');
  const afterOption = options.flatMap((option) => {
    const { value, choices, isPath } = table.optionOf(option);
    if (value === undefined) return [];
    // Without replies the shell completes file names.
    return `    --${option}) ${isPath ? '' : `COMPREPLY=($(compgen -W "${choices?.join(' ') ?? ''}" -- "$word")); `}return ;;`;
  });
  const ofCommand = names.map((name) => {
    const { words = [] } = table.commandOf(name);
    return `    ${name}) words="${[...words, flags(name)].join(' ')}" ;;`;
  });
  return `_tapedeck() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words
  COMPREPLY=()
  case $before in
${afterOption.join('\n')}
  esac
  case \${COMP_WORDS[1]} in
${ofCommand.join('\n')}
    *) words="${names.join(' ')} --help --version" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words="${names.join(' ')} --help --version"; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _tapedeck tapedeck`;
}

function fish(): string {
  const isFirst = `not __fish_seen_subcommand_from ${names.join(' ')}`;
  const lines = names.flatMap((name) => {
    const { about, words } = table.commandOf(name);
    const isSeen = `__fish_seen_subcommand_from ${name}`;
    return [
      `complete -c tapedeck -f -n ${quoted(isFirst)} -a ${name} -d ${quoted(about)}`,
      ...(words === undefined ? [] : [`complete -c tapedeck -f -n ${quoted(isSeen)} -a ${quoted(words.join(' '))}`]),
      ...table.optionsOf(name).map((option) => `complete -c tapedeck -n ${quoted(isSeen)} ${fishOption(option)}`),
    ];
  });
  return lines.join('\n');
}

function fishOption(name: table.OptionName): string {
  const { value, short, about, choices, isPath } = table.optionOf(name);
  const taken = isPath ? ' -r -F' : ` -x${choices ? ` -a ${quoted(choices.join(' '))}` : ''}`;
  const argument = value === undefined ? '' : taken;
  return `-l ${name}${short === undefined ? '' : ` -s ${short}`}${argument} -d ${quoted(about)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
