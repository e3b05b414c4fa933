import { createWriteStream, fstatSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';

/** A failed write to standard output or standard error ends the process; the exit code is then 1, so that no loss is missed. */
export function openStandardOutput() {
  const target = fstatSync(1);
  // For files and devices, Node's own stream loses the rest of a chunk of which a full disk takes a part.
  const isPlain = process.stdout.isTTY || target.isFIFO() || target.isSocket();
  const stream: Writable = isPlain ? process.stdout : createWriteStream('', { fd: 1, autoClose: false });
  for (const one of [stream, process.stderr]) one.on('error', endProcess);
  const write = promisify((text: string, done: (error?: Error | null) => void) => stream.write(text, done));
  return {
    stream,
    print: (text: string): Promise<void> => write(`${text}\n`),
    /** Waits until everything is written. A process that exits earlier loses the rest. */
    flush: (): Promise<void> => write(''),
  };
}

function endProcess(error: NodeJS.ErrnoException): void {
  // The reader of a pipe may close it early, as `head` does.
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`The output cannot be written: ${error.message}\n`);
  process.exit(1);
}
