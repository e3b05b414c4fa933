import { commandOf, COMMANDS, optionOf, optionsOf, type CommandName, type OptionName } from './command-table.ts';

const SECOND_COLUMN = 26;

const HEAD = `tapedeck COMMAND [OPTION…]: media and metadata of public pages, by a Tapedeck service`;
const TAIL = `Every command that takes a URL also takes a handle or an ID. Write -- before an ID that begins with a hyphen.

Environment:
  TAPEDECK_URL            address of the service. Without it, http://127.0.0.1:3000 is used. If no service
                          runs there, the command starts one until it ends (data in DATA_DIR)
  TAPEDECK_KEY            API key
  NO_COLOR                disables colours, which are used on terminals only

Ctrl-C stops the command. Jobs continue in the service, and the same command waits for them again.

Exit codes. For several results, the highest code is used:
  0  success
  1  a job failed, or the requested result does not exist
  2  the command line or a request is wrong
  3  the service cannot be reached, or refuses the key, its credit or the number of requests
  130  interrupted (129 by SIGHUP, 143 by SIGTERM)`;

export function helpText(command: CommandName | undefined): string {
  if (command !== undefined) {
    const { operands, about } = commandOf(command);
    return `usage: tapedeck ${[command, operands].join(' ').trim()} [OPTION…]\n\n${about}\n\n${optionLines(optionsOf(command))}`;
  }
  const names = Object.keys(COMMANDS) as CommandName[];
  const commands = names.map((name) => row(`${name} ${commandOf(name).operands}`, commandOf(name).about));
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
