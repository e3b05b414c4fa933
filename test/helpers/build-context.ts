import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT } from './markdown.ts';

/** What no checkout has. */
const NOT_CHECKED_OUT = new Set(['.git', 'node_modules', 'data', '.tapedeck', 'coverage']);

/**
 * The files that a build of the image sees.
 *
 * @param ignored what `.dockerignore` says
 * @returns paths from the root of the project
 */
export function buildContext(ignored = readFileSync(`${ROOT}.dockerignore`, 'utf8')): ReadonlySet<string> {
  const rules = ignored
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ leaves: !line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }));
  const isLeftOut = (path: string): boolean => rules.findLast(({ pattern }) => pattern.test(path))?.leaves ?? false;
  return new Set(checkedOut().filter((path) => !isLeftOut(path)));
}

/** Of a pattern and all below it: Docker's patterns begin at the root. */
function patternOf(line: string): RegExp {
  const escaped = line.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  const text = escaped.replaceAll(/\*\*\/|\*\*|\*|\?/g, (found) =>
    found === '**/' ? '(?:.*/)?' : found === '**' ? '.*' : `[^/]${found === '*' ? '*' : ''}`,
  );
  return new RegExp(`^${text}(?:/|$)`);
}

function checkedOut(): string[] {
  return readdirSync(ROOT, { withFileTypes: true })
    .filter(({ name }) => !NOT_CHECKED_OUT.has(name))
    .flatMap((entry) =>
      entry.isDirectory()
        ? readdirSync(join(ROOT, entry.name), { recursive: true, withFileTypes: true })
            .filter((one) => one.isFile())
            .map((one) => join(one.parentPath, one.name).slice(ROOT.length))
        : [entry.name],
    );
}

/** What each COPY of the Dockerfile takes from the context. */
export function copiedPaths(dockerfile = readFileSync(`${ROOT}Dockerfile`, 'utf8')): string[] {
  return [...dockerfile.matchAll(/^COPY (?!--from=)(.+)$/gm)].flatMap(([, words = '']) =>
    words.split(' ').slice(0, -1),
  );
}

/** An import at run time, a module that is started, or a program beside the module. */
const USED =
  /^(?:import|export) (?!type\b)(?:[^'";]*?\bfrom )?'([^']+)'|\bimport\('([^']+)'\)|\bnew URL\('(\.[^']+)', import\.meta\.url\)/gm;
const OF_ROOT = /\bjoin\(ROOT, ((?:'[^']+'(?:, )?)+)\)/g;
const PYTHON_IMPORT = /^(?:from|import) (\w+)/gm;

/** What modules need when they run: files, and packages by the name of one that imports them. */
export interface Needs {
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlyMap<string, string>;
}

/** Follows modules from the ones that are started. @param entries paths from the root. @throws when one is not there */
export function neededBy(entries: readonly string[]): Needs {
  const files = new Set<string>();
  const packages = new Map<string, string>();
  const visit = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    if (!/\.(?:ts|tsx|mjs|py)$/.test(path)) return;
    const text = readFileSync(join(ROOT, path), 'utf8');
    const siblings = new Set(readdirSync(join(ROOT, dirname(path))));
    if (path.endsWith('.py')) {
      const modules = [...text.matchAll(PYTHON_IMPORT)].map(([, name = '']) => `${name}.py`);
      for (const name of modules) if (siblings.has(name)) visit(join(dirname(path), name));
      return;
    }
    for (const [, words = ''] of text.matchAll(OF_ROOT)) {
      const target = join(...words.split(', ').map((word) => word.replaceAll("'", '')));
      if (/\.\w+$/.test(target)) visit(target);
    }
    for (const [, from, dynamic, beside] of text.matchAll(USED)) {
      const name = from ?? dynamic ?? beside ?? '';
      if (name.startsWith('.')) {
        const target = normalize(join(dirname(path), name));
        if (target !== '..' && target !== '.' && /\.\w+$/.test(target)) visit(target);
      } else if (!name.startsWith('node:')) packages.set(packageOf(name), path);
    }
  };
  entries.forEach(visit);
  return { files, packages };
}

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
