import { existsSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CpuTimeError,
  FolderTooLargeError,
  run,
  RunKilledError,
  RunStartError,
  RunTimeoutError,
  StdoutTooLargeError,
  yielding,
} from '../../../runtime/subprocess/run-program.ts';
import { folderBytes } from '../../../runtime/subprocess/folder-watch.ts';
import { until } from '../../helpers/until.ts';

let cwd: string;
const env = { PATH: '/usr/local/bin:/usr/bin:/bin' };
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'tapedeck-run-'));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const sh = (script: string, options: Partial<Parameters<typeof run>[2]> = {}) =>
  run('sh', ['-c', script], { cwd, env, maxStdoutChars: 10_000, ...options });

/** A process that has ended but was not reaped yet is not alive: whoever reaps orphans may be slow. */
const isAlive = (pid: number): boolean => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
};
const pidIn = async (name: string): Promise<number> => {
  const text = await until(
    async () => {
      const written = await readFile(join(cwd, name), 'utf8').catch(() => '');
      return written === '' ? undefined : written;
    },
    { what: name },
  );
  return Number(text);
};

describe('a program', () => {
  it('gives its exit code, its output and the end of its errors', async () => {
    expect(await sh('echo out; echo err >&2; exit 7')).toEqual({ exitCode: 7, stdout: 'out\n', stderrTail: 'err\n' });
  });

  it('hands over each line, also a last one without an end', async () => {
    const lines: string[] = [];
    await sh('printf "one\\ntwo"', { onStdoutLine: (line) => lines.push(line) });
    expect(lines).toEqual(['one', 'two']);
  });

  it('inherits nothing of the environment', async () => {
    expect((await sh('env')).stdout).not.toMatch(/^(HOME|USER|TEST_YTDLP)=/m);
  });

  it('yields the processor to others in a context that yields', async () => {
    const niceOf = (work: () => Promise<{ readonly stdout: string }>) => work().then(({ stdout }) => Number(stdout));
    const usual = await niceOf(() => sh('nice'));
    expect(await niceOf(() => yielding.run(true, () => sh('nice')))).toBe(usual + 10);
    expect(await niceOf(() => yielding.run(false, () => sh('nice')))).toBe(usual);
    const options = { cwd, env: { PATH: '/nowhere' }, maxStdoutChars: 10 };
    const inNode = () => run(process.execPath, ['-p', 'os.getPriority()'], options);
    expect(await niceOf(() => yielding.run(true, inNode))).toBe(usual + 10);
  });

  it.runIf(existsSync('/proc/self/autogroup'))('yields the processor to other sessions, too', async () => {
    const { stdout } = await yielding.run(true, () => sh('cat /proc/self/autogroup'));
    expect(stdout).toMatch(/nice 10$/m);
  });

  it('that is not there is an error of its own', async () => {
    await expect(run('no-such-program', [], { cwd, env })).rejects.toBeInstanceOf(RunStartError);
  });

  it.each(['KILL', 'TERM'])(
    'that somebody else ends by %s is an error of its own, and no answer of the program',
    async (name) => {
      const script = `echo "No video formats found" >&2; kill -${name} $$; sleep 60`;
      await expect(sh(script)).rejects.toBeInstanceOf(RunKilledError);
    },
  );

  it('whose lifeline is killed is the same', async () => {
    const running = sh('sleep 60', { onStart: (groupId) => process.kill(groupId, 'SIGKILL') });
    await expect(running).rejects.toBeInstanceOf(RunKilledError);
  });

  it('that answers a signal with a code of its own is the same', async () => {
    const script = 'trap "exit 255" TERM; kill -TERM $$; sleep 60';
    expect(await sh(script)).toMatchObject({ exitCode: 255 });
    await expect(sh(script, { signalExitCode: 255 })).rejects.toBeInstanceOf(RunKilledError);
  });

  it('takes arguments as they are', async () => {
    const args = ['-c', 'printf "%s|" "$@"', 'sh', '$(touch owned)', '; exit 3', '--x', 'a b'];
    expect((await run('sh', args, { cwd, env, maxStdoutChars: 100 })).stdout).toBe('$(touch owned)|; exit 3|--x|a b|');
  });

  it('is ended with all its children when it takes too long, also when it ignores TERM', async () => {
    const stubborn = sh('trap "" TERM; sleep 300 & echo $! > grandchild; wait; sleep 300', {
      timeoutMs: 400,
      killAfterMs: 100,
    });
    await expect(stubborn).rejects.toBeInstanceOf(RunTimeoutError);
    const grandchild = await pidIn('grandchild');
    await until(() => !isAlive(grandchild), { what: 'the end of the grandchild' });
  });

  it('is ended when it has used more processor time than it may, which is no answer of the program', async () => {
    await expect(sh('while :; do :; done', { maxCpuSeconds: 1, timeoutMs: 30_000 })).rejects.toBeInstanceOf(
      CpuTimeError,
    );
    expect(await sh('ulimit -t', { maxCpuSeconds: 7 })).toMatchObject({ stdout: '7\n' });
  });

  it('is ended by its signal, with the reason of the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    await expect(
      sh('sleep 300', {
        signal: controller.signal,
        onStart: () => void setTimeout(() => controller.abort(reason), 50),
      }),
    ).rejects.toBe(reason);
  });

  it('leaves no child behind when it ends by itself', async () => {
    await sh('sleep 300 & echo $! > left');
    const pid = await pidIn('left');
    await until(() => !isAlive(pid), { what: 'the end of the child' });
  });

  it('may not fill the disk', async () => {
    await sh('head -c 1000000 /dev/zero > big', { maxFileBytes: 10_240 });
    expect((await stat(join(cwd, 'big'))).size).toBe(10_240);
  });

  it('may not fill the disk by many files, each of which is small enough', async () => {
    const folder = await mkdtemp(join(cwd, 'many-'));
    const many = sh('i=0; while true; do i=$((i+1)); head -c 100000 /dev/zero > "f$i"; sleep 0.05; done', {
      ...{ cwd: folder, maxFileBytes: 200_000, maxFolderBytes: 1_000_000, timeoutMs: 25_000 },
    });
    await expect(many).rejects.toBeInstanceOf(FolderTooLargeError);
  });

  it('is not charged for what links in its folder lead to', async () => {
    const folder = await mkdtemp(join(cwd, 'links-'));
    await symlink(process.execPath, join(folder, 'node'));
    await writeFile(join(folder, 'own'), 'abc');
    expect(await folderBytes(folder)).toBe(3);
  });

  it.runIf(process.platform === 'linux')(
    'may not take more memory than it is given, and leaves no core file',
    async () => {
      const take = (bytes: number) =>
        run(process.execPath, ['-e', `Buffer.alloc(${bytes}, 1); console.log('had it')`], {
          ...{ cwd, env, maxMemoryBytes: 1_000_000_000, maxStdoutChars: 100 },
        });
      expect((await take(50_000_000)).stdout).toBe('had it\n');
      expect((await take(1_500_000_000)).stdout).toBe('');
      expect((await sh('ulimit -c')).stdout).toBe('0\n');
    },
  );

  it('may not fill the memory', async () => {
    await expect(sh('yes', { maxStdoutChars: 1_000 })).rejects.toBeInstanceOf(StdoutTooLargeError);
  });
});

describe('a program whose parent is killed outright', () => {
  it('ends with all its children', async () => {
    const source = `
      import { run } from ${JSON.stringify(join(import.meta.dirname, '../../../runtime/subprocess/run-program.ts'))};
      await run('sh', ['-c', 'echo $$ > program; sleep 300 & echo $! > child; wait'], { cwd: ${JSON.stringify(cwd)}, env: ${JSON.stringify(env)} });`;
    const file = join(cwd, 'parent.mts');
    await writeFile(file, source);
    const parent = spawn(process.execPath, [file], { stdio: 'inherit' });
    const pids = [await pidIn('program'), await pidIn('child')];
    expect(pids.every(isAlive)).toBe(true);
    parent.kill('SIGKILL');
    await until(() => !pids.some(isAlive), { what: 'the end of the orphans', within: 5_000 });
  });
});
