import { commandOf, COMMANDS, optionOf, optionsOf, type CommandName, type OptionName } from './command-table.ts';

const SECOND_COLUMN = 26;

const HEAD = `tapedeck COMMAND [OPTION…]: media and metadata of public pages, by a Tapedeck service`;
const TAIL = `Wherever a command takes a URL it takes a handle or an id too. An id that begins with a hyphen stands behind --

Environment:
  TAPEDECK_URL            address of the service. Without it: the one on http://127.0.0.1:3000, and where none
                          runs, one is started for as long as it is needed (data in DATA_DIR)
  TAPEDECK_KEY            API key
  NO_COLOR                no colours; there are none outside of terminals

Ctrl-C ends the waiting; jobs go on in the service, and the same command goes on with them.

Exit codes, of several results the highest:
  0  all is well
  1  a job failed, or the requested result does not exist
  2  the command line or a request is wrong
  3  the service cannot be reached, or refuses: the key, its credit or the number of requests
  130  interrupted (129 by SIGHUP, 143 by SIGTERM)`;

/** Returns the text of `--help`. */
export function helpText(command: CommandName | undefined): string {
  if (command !== undefined) {
    const { takes, about } = commandOf(command);
    return `usage: tapedeck ${[command, takes].join(' ').trim()} [OPTION…]\n\n${about}\n\n${optionLines(optionsOf(command))}`;
  }
  const names = Object.keys(COMMANDS) as CommandName[];
  const commands = names.map((name) => row(`${name} ${commandOf(name).takes}`, commandOf(name).about));
  return `${HEAD}\n\n${commands.join('\n')}\n\ntapedeck COMMAND --help shows the options.\n\n${TAIL}`;
}

function optionLines(names: readonly OptionName[]): string {
  return names
    .map((name) => {
      const { short, value, about, choices } = optionOf(name);
      const word = [`${short === undefined ? '    ' : `-${short}, `}--${name}`, value].filter(Boolean).join(' ');
      return row(word, value === 'TYPE' ? `${about}: ${choices?.join(', ') ?? ''}` : about);
    })
    .join('\n');
}

function row(first: string, second: string): string {
  const head = `  ${first}`;
  return head.length < SECOND_COLUMN - 1
    ? `${head.padEnd(SECOND_COLUMN)}${second}`
    : `${head}\n${' '.repeat(SECOND_COLUMN)}${second}`;
}
