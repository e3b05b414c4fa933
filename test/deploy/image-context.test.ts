import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildContext, copiedPaths, neededBy } from '../helpers/build-context.ts';
import { ROOT } from '../helpers/markdown.ts';

const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');
const ignored = read('.dockerignore');
/** What operators are told to run in a container. */
const commands = [...read('docs/operations.md').matchAll(/(?<![\w/])(?:\w+\/)+main\.ts\b/g)].map(([path]) => path);
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

describe('the context of a build of the image', () => {
  it('has all that the Dockerfile copies from it', () => {
    expect(copiedPaths()).toEqual(expect.arrayContaining(['.', 'package-lock.json']));
    expect(missingCopies(buildContext())).toEqual([]);
  });

  it('has every module and program that runs in the image', () => {
    expect(started).toEqual(expect.arrayContaining(['api/console/console-files.ts', 'deploy/image/sbom.mjs']));
    const operators = ['api/keys/main.ts', 'speech/models/main.ts', 'worker/routes/main.ts', 'worker/versions/main.ts'];
    expect(commands).toEqual(expect.arrayContaining(['store/backup/main.ts', ...operators]));
    const { files } = needed;
    expect(files.size).toBeGreaterThan(250);
    for (const path of ['console/build.mjs', 'speech/builtin/features.py', 'runtime/subprocess/parent-death-watch.sh'])
      expect(files).toContain(path);
    expect([...files].filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
    expect(missingFiles(buildContext())).toEqual([]);
  });

  it('has all that the pages of the console are made from', () => {
    const context = buildContext();
    const sources = globSync('{console,contract,clients/typescript/src}/**/*.{ts,tsx,css,html,svg,mjs}', { cwd: ROOT });
    expect(sources.length).toBeGreaterThan(60);
    expect(sources.filter((path) => !context.has(path))).toEqual([]);
  });

  it('has nothing that only proves, describes or calls the service, and no secrets', () => {
    const context = [...buildContext()];
    expect(context.filter((path) => /^(?:test|quality|docs|command|\.git|\.ci|\.env|data)\b/.test(path))).toEqual([]);
    expect(context).toContain('.npmrc');
  });

  it.each(['local/engines', 'speech/builtin/*.py', '**/parent-death-watch.sh', 'runtime'])(
    'would lack something if %s were left out',
    (line) => {
      const context = buildContext(`${ignored}\n${line}`);
      expect([...missingCopies(context), ...missingFiles(context)]).not.toEqual([]);
    },
  );
});

describe('the packages of the image', () => {
  it('are all that api and worker import', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    const { packages } = neededBy(['api/main.ts', 'worker/main.ts', ...commands, 'worker/print-bundle.mjs']);
    expect(packages.size).toBeGreaterThan(15);
    // The console is made while the image is.
    const lacking = [...packages].filter(([name, by]) => !(name in dependencies) && !by.startsWith('console/'));
    expect(lacking.map((one) => one.join(' in '))).toEqual([]);
  });
});
