import { readFile } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageError } from './exit-codes.ts';

/**
 * @param from the path of a file, or `-` for standard input
 * @returns the lines of the file, without blank lines and lines that begin with #
 */
export async function readTexts(
  from: string,
  { stdin, signal }: { readonly stdin: Readable; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const content =
    from === '-'
      ? await text(addAbortSignal(signal, stdin))
      : await readFile(from, 'utf8').catch((error: unknown) => {
          throw new UsageError(`--from: ${error instanceof Error ? error.message : String(error)}`);
        });
  return content
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
