/** The command line is wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The frame of an operator's command, such as `npm run keys`: prints what it returns, else one line that says what failed, and
 * ends with 1 then. A wrong command line is told with the usage.
 *
 * @param run gets the words behind the command's name
 */
export async function runOperatorCommand(
  usage: string,
  run: (line: readonly string[]) => Promise<string | undefined>,
): Promise<void> {
  const line = process.argv.slice(2);
  // Before the settings: who asks how it works may not have any yet.
  if (line.includes('--help') || line.includes('-h') || line[0] === 'help') {
    console.log(usage);
    return;
  }
  try {
    const told = await run(line);
    if (told !== undefined) console.log(told);
  } catch (error) {
    process.exitCode = 1;
    if (isUsage(error)) console.error(`${error.message}\n\n${usage}`);
    // What nobody foresaw: the place says more than the message.
    else if (error instanceof TypeError || error instanceof RangeError) console.error(error);
    else console.error(error instanceof Error ? error.message : String(error));
  }
}

function isUsage(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS');
}
