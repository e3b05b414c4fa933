import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;
/** Larger files are recordings and the like, and no text that a person wrote. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;

const MADE_BY_RUNNING = ['node_modules', 'data', '.tapedeck', 'coverage'];
/** Blobs that are read at once. */
const PORTION = 200;

/** A text to look through, and where it stands. */
export interface SourceText {
  /** From the root of the checkout. */
  readonly path: string;
  /** Where in the history; absent for what lies there now. */
  readonly blob?: string;
  readonly content: string;
}

/** Whether there is a history to look through: an unpacked archive has none. */
export function isCheckout(root: string): boolean {
  return existsSync(join(root, '.git'));
}

/** The files that are tracked by git, or would be by `git add .`; of an unpacked archive, all but what is made by running. */
export function* presentFiles(root: string): Generator<SourceText> {
  for (const path of isCheckout(root) ? tracked(root) : unpacked(root)) {
    const place = join(root, path);
    // What is deleted but not yet committed is listed too, and so are links to folders.
    if (statSync(place, { throwIfNoEntry: false })?.isFile() !== true) continue;
    const bytes = readFileSync(place);
    if (isText(bytes)) yield { path, content: bytes.toString('utf8') };
  }
}

function tracked(root: string): Set<string> {
  const listing = git(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']).toString('utf8');
  return new Set(listing.split('\0').filter((path) => path !== ''));
}

function unpacked(root: string): string[] {
  const isMade = (path: string): boolean => MADE_BY_RUNNING.includes(path.split(sep)[0] ?? '');
  return readdirSync(root, { encoding: 'utf8', recursive: true }).filter((path) => !isMade(path));
}

/** Each version of each file that a commit before HEAD has, once. A shallow clone has few. @throws when it is no git checkout */
export function* pastFiles(root: string): Generator<SourceText> {
  const paths = new Map<string, string>();
  const filters = [
    '--filter-provided-objects',
    '--filter=object:type=blob',
    `--filter=blob:limit=${MAX_TEXT_BYTES + 1}`,
  ];
  for (const line of git(root, ['rev-list', '--objects', ...filters, 'HEAD'])
    .toString('utf8')
    .split('\n')) {
    const [, id, path] = /^([0-9a-f]+) (.+)$/.exec(line) ?? [];
    if (id !== undefined && path !== undefined) paths.set(id, path);
  }
  const wanted = [...paths.keys()];
  // In portions, so that a long history does not lie in memory as a whole.
  for (let start = 0; start < wanted.length; start += PORTION) {
    const ids = wanted.slice(start, start + PORTION);
    yield* contentsOf(git(root, ['cat-file', '--batch'], ids), paths);
  }
}

function* contentsOf(batch: Buffer, paths: ReadonlyMap<string, string>): Generator<SourceText> {
  for (let at = 0; at < batch.length;) {
    const headEnd = batch.indexOf('\n', at);
    const [id = '', , size = '0'] = batch.toString('utf8', at, headEnd).split(' ');
    const bytes = batch.subarray(headEnd + 1, headEnd + 1 + Number(size));
    at = headEnd + 1 + Number(size) + 1;
    if (isText(bytes)) yield { path: paths.get(id) ?? '', blob: id, content: bytes.toString('utf8') };
  }
}

function git(root: string, args: readonly string[], lines: readonly string[] = []): Buffer {
  return execFileSync('git', args, {
    cwd: root,
    input: lines.map((line) => `${line}\n`).join(''),
    maxBuffer: MAX_OUTPUT_BYTES,
  });
}

function isText(bytes: Buffer): boolean {
  return bytes.length <= MAX_TEXT_BYTES && !bytes.subarray(0, 8_000).includes(0);
}
