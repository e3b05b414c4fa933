import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDataDir } from '../../local/engines/data-lock.ts';
import { until } from '../helpers/until.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a data folder', () => {
  it('serves one service at a time', async () => {
    const unlock = await lockDataDir(folder);
    await expect(lockDataDir(folder)).rejects.toThrow(/^DATA_DIR: .* is in use by process \d+/);
    await unlock();
    await (
      await lockDataDir(folder)
    )();
  });

  it('is free again when its holder was killed', async () => {
    const child = spawn('sleep', ['300']);
    const gone = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    await writeFile(join(folder, 'in-use'), `${String(child.pid)}-12345`);
    await lockDataDir(folder);
    expect(await readFile(join(folder, 'in-use'), 'utf8')).toContain(String(process.pid));
  });

  it('is free again when its holder was killed and nobody has reaped it', async () => {
    // The shell becomes a sleep, which never waits for its child. That ends afterwards: a shell may have reaped it.
    const child = 'while grep -q sh "/proc/$$/comm"; do sleep 0.02; done';
    const parent = spawn('sh', ['-c', `(${child}) & echo $!; exec sleep 300`]);
    const pid = await new Promise<string>((resolve) =>
      parent.stdout.once('data', (data: Buffer) => resolve(String(data).trim())),
    );
    const stat = await until(async () => {
      const text = await readFile(`/proc/${pid}/stat`, 'utf8');
      return text.includes(') Z ') ? text : undefined;
    });
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    await writeFile(join(folder, 'in-use'), `${pid}-${start}`);
    await lockDataDir(folder);
    parent.kill('SIGKILL');
  });

  it('is free again when another process got the id of its holder', async () => {
    await writeFile(join(folder, 'in-use'), `${String(process.ppid)}-1`);
    await lockDataDir(folder);
  });
});
