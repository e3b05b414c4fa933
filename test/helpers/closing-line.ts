import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { until } from './until.ts';

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const VITEST = join(dirname(fileURLToPath(import.meta.resolve('vitest/package.json'))), 'vitest.mjs');
const PASSES = "it('passes', () => {});";
const THROW = "() => { throw new Error('on purpose'); }";

interface Run {
  readonly lastLine: string | undefined;
  readonly code: number | null;
}

/** Runs vitest on files that import nothing: its functions are globals. */
async function runOf(files: Readonly<Record<string, string>>, whileRunning?: Watcher): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-closing-line-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const reporter = `--reporter=${fileOf('../closing-line-reporter.ts')}`;
    const args = [VITEST, 'run', '--root', folder, '--globals', '--maxWorkers=1', reporter];
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, args, { cwd: folder, env: { PATH, HOME }, stdio: 'pipe' });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.resume();
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
    await whileRunning?.({ folder, isOver, kill: (signal) => child.kill(signal) });
    const code = await closed;
    return { lastLine: stdout.trimEnd().split('\n').at(-1), code };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
type Watcher = (run: {
  readonly folder: string;
  readonly isOver: () => boolean;
  readonly kill: (signal: NodeJS.Signals) => void;
}) => Promise<void>;

const SETUPS = {
  'setup that throws': [`export default ${THROW};`, '0 passed, 1 failed'],
  'setup that ends the whole run': ['export default () => process.exit(0);', '0 passed, 1 failed'],
  'teardown that throws': [
    `import { countedTeardown } from '${fileOf('./teardown.ts')}';
      export default () => countedTeardown(async () => { throw new Error('on purpose'); });`,
    '1 passed, 1 failed',
  ],
} as const;

/** A run of vitest for each of these. */
export interface ClosingLines {
  readonly setups: readonly (keyof typeof SETUPS)[];
  readonly signals: readonly ('SIGINT' | 'SIGTERM')[];
}

/** What the last line says of runs that end in several ways. Several at once, each of which starts as a whole run does. */
export function closingLines({ setups, signals }: ClosingLines): void {
  describe.concurrent('the closing line', () => {
    it('tells no failure where there is none', async () => {
      const files = { 'a.test.ts': `${PASSES} it.skip('is skipped', () => {});` };
      expect(await runOf(files)).toEqual({ lastLine: '1 passed, 0 failed, 1 skipped', code: 0 });
    });

    it('counts tests, hooks and files that fail', async () => {
      const files = {
        'hooks.test.ts': `
        ${PASSES}
        it('fails', ${THROW});
        describe('before', () => { beforeAll(${THROW}); it('is skipped', () => {}); });
        describe('outer', () => describe('after', () => { afterAll(${THROW}); ${PASSES} }));
        describe('each', () => { beforeEach(${THROW}); it('fails', () => {}); });`,
        'before.test.ts': `beforeAll(${THROW}); it('is skipped', () => {});`,
        'after.test.ts': `afterAll(${THROW}); ${PASSES}`,
        'unloaded.test.ts': `throw new Error('on purpose');`,
        'unhandled.test.ts': `${PASSES} void Promise.reject(new Error('on purpose'));`,
      };
      expect(await runOf(files)).toEqual({ lastLine: '4 passed, 8 failed, 2 skipped', code: 1 });
    });

    it.each(setups)('counts a failure: a global %s', async (name) => {
      const [globalSetup, lastLine] = SETUPS[name];
      const config = "export default { test: { globalSetup: './global.ts' } };";
      const files = { 'a.test.ts': PASSES, 'global.ts': globalSetup, 'vitest.config.mjs': config };
      expect(await runOf(files)).toEqual({ lastLine, code: 1 });
    });

    it.each(signals)('counts a run that %s interrupts, also when it comes again', async (signal) => {
      const files = {
        'a.test.ts': `
        import { writeFileSync } from 'node:fs';
        it('hangs', () => { writeFileSync('running', ''); return new Promise(() => {}); });`,
      };
      const { lastLine } = await runOf(files, async ({ folder, isOver, kill }) => {
        await until(() => existsSync(join(folder, 'running')), { what: 'the test' });
        while (!isOver()) {
          kill(signal);
          await delay(5);
        }
      });
      expect(lastLine).toBe('0 passed, 1 failed');
    });
  });
}

/** The same of a run whose worker is gone, and of one without a test. */
export function closingLinesWithoutTests(): void {
  describe.concurrent('the closing line', () => {
    it('counts a worker that is gone', async () => {
      const files = {
        'a.test.ts': `it('kills', () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}); });`,
      };
      expect(await runOf(files)).toEqual({ lastLine: '0 passed, 1 failed', code: 1 });
    });

    it('counts a run that found no test', async () => {
      expect(await runOf({})).toEqual({ lastLine: '0 passed, 1 failed', code: 1 });
    });
  });
}
