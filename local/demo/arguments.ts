import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE = 'usage: npm run demo [-- --media FILE]';

/**
 * @param startedIn folder that a relative path is relative to
 * @returns the absolute path of the recording that was asked for, if any
 * @throws when the arguments are wrong or there is no such file
 */
export async function readMediaArgument(startedIn: string): Promise<string | undefined> {
  const media = parse();
  if (media === undefined) return undefined;
  const path = resolve(startedIn, media);
  const found = await stat(path).catch((error: unknown) => {
    throw new Error(`--media ${path}: there is no such file`, { cause: error });
  });
  if (!found.isFile()) {
    throw new Error(`--media ${path}: the demo takes one file; for a folder there is npm run sandbox -- --media DIR`);
  }
  return path;
}

function parse(): string | undefined {
  try {
    return parseArgs({ options: { media: { type: 'string' } } }).values.media;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}
