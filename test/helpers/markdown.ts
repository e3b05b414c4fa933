import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A fenced block of a page. */
export interface Block {
  /** Page and line, such as `README.md:27`. */
  readonly id: string;
  readonly language: string;
  readonly code: string;
  /** What a comment right above the block says after `run:`, such as `sandbox`. */
  readonly run: string | undefined;
}

/** The pages for people. Paths from the root of the project. */
export function pages(): readonly string[] {
  const inDocs = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  return [
    'README.md',
    'CONTRIBUTING.md',
    'local/sandbox/README.md',
    ...inDocs.map((name) => `docs/${name}`).toSorted(),
  ];
}

export function readPage(path: string): string {
  return readFileSync(`${ROOT}${path}`, 'utf8');
}

/** The fenced blocks of a page, in order; those in a list are indented, and come without that. */
export function blocksOf(path: string): readonly Block[] {
  const text = readPage(path);
  const fence = /(?:<!-- run: (?<run>\w+) -->\n\n?)?^(?<indent> *)```(?<language>\w*)\n(?<code>[^]*?)^\k<indent>```$/gm;
  return [...text.matchAll(fence)].map((match) => {
    const { run, indent = '', language = '', code = '' } = match.groups ?? {};
    const line = text.slice(0, match.index).split('\n').length;
    return { id: `${path}:${line}`, language, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), run };
  });
}
