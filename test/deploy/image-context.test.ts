import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../helpers/markdown.ts';

/** What no checkout has. */
const NOT_CHECKED_OUT = new Set(['.git', 'node_modules', 'data', '.tapedeck', 'coverage']);

/**
 * The files that a build of the image sees.
 *
 * @param ignored what `.dockerignore` says
 * @returns paths from the root of the project
 */
function buildContext(ignored = readFileSync(`${ROOT}.dockerignore`, 'utf8')): ReadonlySet<string> {
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
function copiedPaths(dockerfile = readFileSync(`${ROOT}Dockerfile`, 'utf8')): string[] {
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
interface Needs {
  readonly files: ReadonlySet<string>;
  readonly packages: ReadonlyMap<string, string>;
}

/** Follows modules from the ones that are started. @param entries paths from the root. @throws when one is not there */
function neededBy(entries: readonly string[]): Needs {
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

const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');
const ignored = read('.dockerignore');
/** What operators are told to run in a container. */
const commands = [...read('docs/operations.md').matchAll(/(?<![\w/-])(?:[\w-]+\/)+main\.ts\b/g)].map(([path]) => path);
/** What runs in a container, and what the Dockerfile starts while it builds. */
const started = [
  ...['api/main.ts', 'worker/main.ts', ...commands, 'worker/print-bundle.mjs'],
  ...['index', 'workflow-interceptors', 'payload-converter'].map((name) => `workflows/${name}.ts`),
  ...[...read('Dockerfile').matchAll(/\bnode ([\w/-]+\.mjs)\b|import\('\/app\/([\w/.-]+)'\)/g)].map(
    ([, script, module]) => script ?? module ?? '',
  ),
];
const needed = neededBy(started);

/** @param context paths from the root */
function missingCopies(context: ReadonlySet<string>): string[] {
  const files = [...context];
  return copiedPaths().filter(
    (path) => path !== '.' && !files.some((one) => one === path || one.startsWith(`${path}/`)),
  );
}

function missingFiles(context: ReadonlySet<string>): string[] {
  return [...needed.files].filter((path) => !context.has(path));
}

describe('the build context of the image', () => {
  it('contains everything that the Dockerfile copies', () => {
    expect(copiedPaths()).toEqual(expect.arrayContaining(['.', 'package-lock.json']));
    expect(missingCopies(buildContext())).toEqual([]);
  });

  it('contains every module and program that runs in the image', () => {
    expect(started).toEqual(expect.arrayContaining(['api/console/console-files.ts', 'deploy/image/sbom.mjs']));
    const operators = [
      'operator/keys/main.ts',
      'operator/models/main.ts',
      'operator/routes/main.ts',
      'operator/versions/main.ts',
    ];
    expect(commands).toEqual(expect.arrayContaining(['operator/backup/main.ts', ...operators]));
    const { files } = needed;
    expect(files.size).toBeGreaterThan(250);
    for (const path of [
      'console/build.mjs',
      'speech/whisper/transcribe.py',
      'runtime/subprocess/parent-death-watch.sh',
    ])
      expect(files).toContain(path);
    expect([...files].filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
    expect(missingFiles(buildContext())).toEqual([]);
  });

  it('contains the sources of the console', () => {
    const context = buildContext();
    const sources = globSync('{console,contract,clients/typescript/src}/**/*.{ts,tsx,css,html,svg,mjs}', { cwd: ROOT });
    expect(sources.length).toBeGreaterThan(60);
    expect(sources.filter((path) => !context.has(path))).toEqual([]);
  });

  it('contains no tests, docs, clients or secrets', () => {
    const context = [...buildContext()];
    expect(context.filter((path) => /^(?:test|quality|docs|command|\.git|\.ci|\.env|data)\b/.test(path))).toEqual([]);
    expect(context).toContain('.npmrc');
  });

  it.each(['local/engines', 'speech/whisper/*.py', '**/parent-death-watch.sh', 'runtime'])(
    'would lack something if %s were left out',
    (line) => {
      const context = buildContext(`${ignored}\n${line}`);
      expect([...missingCopies(context), ...missingFiles(context)]).not.toEqual([]);
    },
  );
});

describe('the packages of the image', () => {
  it('are all packages that api and worker import', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    const { packages } = neededBy(['api/main.ts', 'worker/main.ts', ...commands, 'worker/print-bundle.mjs']);
    expect(packages.size).toBeGreaterThan(15);
    // The console is made while the image is.
    const lacking = [...packages].filter(([name, by]) => !(name in dependencies) && !by.startsWith('console/'));
    expect(lacking.map((one) => one.join(' in '))).toEqual([]);
  });
});
