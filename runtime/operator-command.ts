import { openStandardOutput } from './standard-output.ts';

/** The command line is wrong. The message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @param command the first word of the command line; empty if there is none */
export function unknownCommand(command: string): UsageError {
  return new UsageError(command === '' ? 'The command is missing.' : `There is no command ${JSON.stringify(command)}.`);
}

/**
 * Runs an operator's command, such as `npm run keys`, and prints what it returns. On an error it prints one line, with the
 * usage if the command line is wrong, and sets exit code 1.
 *
 * @param run receives the arguments after the name of the command, and a function that prints a line before the end
 */
export async function runOperatorCommand(
  usage: string,
  run: (line: readonly string[], say: (text: string) => void) => Promise<string | undefined>,
): Promise<void> {
  const line = process.argv.slice(2);
  const { stream, print, flush } = openStandardOutput();
  // Help must be available before there are any settings.
  if (line.includes('--help') || line.includes('-h') || line[0] === 'help') {
    await print(usage);
    return;
  }
  try {
    const output = await run(line, (text) => void stream.write(`${text}\n`));
    if (output !== undefined) await print(output);
    await flush();
  } catch (error) {
    process.exitCode = 1;
    if (isUsage(error)) console.error(`${error.message}\n\n${usage}`);
    // These errors are bugs, for which the stack trace says more than the message.
    else if (error instanceof TypeError || error instanceof RangeError) console.error(error);
    else console.error(error instanceof Error ? error.message : String(error));
  }
}

function isUsage(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS');
}
