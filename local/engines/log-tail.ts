import { readFileSync } from 'node:fs';

const TAIL_CHARS = 600;

/** The end of a log file, for an error message. */
export function logTail(file: string): string {
  const text = readFileSync(file, 'utf8').trim();
  return text === '' ? `nothing in ${file}` : `${file} ends with: …${text.slice(-TAIL_CHARS)}`;
}
