import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../helpers/until.ts';

const ROOT = join(import.meta.dirname, '../..');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-stop-'));
  // A program of ours, run as npm runs it: in a shell.
  const source = `
    import { writeFileSync } from 'node:fs';
    import { runUntilSignal } from ${JSON.stringify(join(ROOT, 'local/run-until-signal.ts'))};
    await runUntilSignal(async () => {
      writeFileSync(${JSON.stringify(join(folder, 'started'))}, String(process.pid));
      setInterval(() => undefined, 1_000);
      return { stop: async () => writeFileSync(${JSON.stringify(join(folder, 'stopped'))}, 'orderly') };
    });`;
  await writeFile(join(folder, 'program.mts'), source);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { go: `${process.execPath} program.mts` } }));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const textOf = (name: string): Promise<string | undefined> =>
  readFile(join(folder, name), 'utf8').then(
    (text) => text || undefined,
    () => undefined,
  );

describe('a program under npm stops in order', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('when npm gets %s', async (signal) => {
    const npm = spawn('npm', ['run', 'go'], { cwd: folder, stdio: 'ignore' });
    await until(() => textOf('started'), { what: 'the start' });
    npm.kill(signal);
    expect(await until(() => textOf('stopped'), { what: 'the stop' })).toBe('orderly');
  });

  it('when it is signalled itself', async () => {
    const npm = spawn('npm', ['run', 'go'], { cwd: folder, stdio: 'ignore' });
    process.kill(Number(await until(() => textOf('started'), { what: 'the start' })), 'SIGTERM');
    expect(await until(() => textOf('stopped'), { what: 'the stop' })).toBe('orderly');
    await until(() => npm.exitCode !== null || npm.signalCode !== null, { what: 'the end of npm' });
  });
});
