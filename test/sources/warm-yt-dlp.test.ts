import { spawn } from 'node:child_process';
import { appendFile, chmod, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { bareEnvironment } from '../../runtime/subprocess/bare-environment.ts';
import { processFacts } from '../../runtime/subprocess/process-facts.ts';
import { run, RunKilledError, type RunOptions, type RunResult } from '../../runtime/subprocess/run-program.ts';
import { readPythonProgram } from '../../sources/vidnet/warm/python-program.ts';
import { baseArguments, YTDLP_MEMORY_BYTES } from '../../sources/vidnet/yt-dlp/run-yt-dlp.ts';
import { startWarmParent } from '../../sources/vidnet/warm/warm-parent.ts';
import { createWarmYtdlp, type WarmYtdlp, type WarmYtdlpOptions } from '../../sources/vidnet/warm/warm-yt-dlp.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { FEW_SITES, RUN_YTDLP as RUN, canBeWarm } from '../helpers/yt-dlp.ts';
import { RecordedSite } from '../helpers/recorded-site.ts';
import { rows } from '../helpers/rows.ts';
import { until } from '../helpers/until.ts';

const isPossible = await canBeWarm(inject('tools').ytdlp);
const pluginDir = fileURLToPath(new URL('../helpers/warm-plugins', import.meta.url));
let site: RecordedSite;
let folder: string;
let settings: YtdlpSettings;
/** Warms up in a third of the time. */
let few: YtdlpSettings;
beforeAll(async () => {
  site = await RecordedSite.start();
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-warm-test-'));
  few = site.settings({ pluginDir, starter: undefined });
  settings = { ...few, program: inject('tools').ytdlp };
});
afterAll(async () => {
  await site.stop();
  await rm(folder, { recursive: true });
});

const isAlive = (pid: number): boolean => processFacts(pid) !== undefined;
const areGone = (pids: readonly number[]): Promise<boolean> =>
  until(() => !pids.some(isAlive), { what: 'the end of all processes', within: 9_000 });

async function keepWarm(options: WarmYtdlpOptions = {}, more: Partial<YtdlpSettings> = {}): Promise<WarmYtdlp> {
  const warm = createWarmYtdlp({ ...few, ...more }, options);
  onTestFinished(() => warm.close());
  await warm.ready();
  return warm;
}

interface Called extends RunResult {
  readonly cwd: string;
  readonly files: Readonly<Record<string, string>>;
}

interface CallOptions extends Partial<RunOptions> {
  readonly warm?: WarmYtdlp;
  /** What it is kept warm with. */
  readonly using?: YtdlpSettings;
}

/** Runs yt-dlp in a folder of its own: in a fork, when one is kept warm. */
async function call(args: readonly string[], { warm, using = few, ...options }: CallOptions = {}): Promise<Called> {
  const cwd = await mkdtemp(join(folder, 'call-'));
  const start = (await warm?.startOf(using))?.start;
  if (warm !== undefined) expect(start).toBeDefined();
  const bare = { ...bareEnvironment(using.program), PYTHONDONTWRITEBYTECODE: '1' };
  const result = await run(using.program, [...baseArguments(using, undefined), ...args], {
    ...{ cwd, env: { ...bare, HOME: cwd, TMPDIR: cwd, all_proxy: '' }, timeoutMs: 25_000 },
    ...{ maxStdoutChars: 1_000_000, maxMemoryBytes: YTDLP_MEMORY_BYTES, maxFileBytes: 1_024_000, ...options },
    ...(start === undefined ? {} : { start }),
  });
  const names = (await readdir(cwd)).sort();
  const files = await Promise.all(
    names.map(async (name) => [name, await readFile(join(cwd, name), 'latin1')] as const),
  );
  return { ...result, cwd, files: Object.fromEntries(files) };
}

/** The process IDs that a call has written. The file exists before it is complete. */
const pidsIn = (cwd: string): Promise<string> => readFile(join(cwd, 'pids'), 'utf8').catch(() => '');

/** Begins a call that does not end by itself. */
async function begin(warm: WarmYtdlp, { page = 'hang', ...options }: CallOptions & { page?: string } = {}) {
  const cwd = await mkdtemp(join(folder, 'hang-'));
  const ended = call(['--', `tell:${page}`], { warm, ...options, cwd }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const text = await until(async () => (await pidsIn(cwd)) || undefined, { what: 'the call' });
  const pids = text.split(' ').map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  return { ended, pids };
}

/** A process with this among its arguments. */
async function childOfOurs(argument: string): Promise<number | undefined> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (line.split('\0').includes(argument)) return Number(pid);
  }
  return undefined;
}

/** A yt-dlp of our own that can be changed. */
async function script(name: string, ...lines: readonly string[]): Promise<string> {
  const { python } = await readPythonProgram(settings.program);
  const path = join(folder, name);
  await writeFile(path, [`#!${python}`, ...lines, ''].join('\n'));
  await chmod(path, 0o700);
  return path;
}

describe.runIf(isPossible)('a call of a preloaded yt-dlp', () => {
  const secret = 'pass-of-the-proxy';
  const proxy = `http://user:${secret}@127.0.0.1:9`;
  let warm: WarmYtdlp;
  let using: YtdlpSettings;
  beforeAll(async () => {
    using = { ...settings, proxy, extractorArgs: `youtube:po_token=${secret}` };
    warm = createWarmYtdlp(using);
    await warm.ready();
    site.set('/a.m4a', { type: 'audio/mp4', body: Buffer.alloc(5_000, 1) });
    site.set('/page', { type: 'text/html', body: '<title>Whöle</title><audio src="a.m4a"></audio>' });
  });
  afterAll(() => warm.close());

  const FILE = ['--output', 'media.%(ext)s'];
  const FACTS = ['--print', '%(.{id,title,ext})j'];
  it.each(
    rows<readonly [string, (url: string) => readonly string[]]>(
      [
        ['downloads and tells facts', (url) => [...FILE, ...FACTS, '--no-simulate', '--', `${url}/page`]],
        ['fails', (url) => [...FILE, '--', `${url}/none`]],
        ['refuses its arguments', () => ['--no-such-option']],
        ['tells its version', () => ['--version']],
        ['draws a table', (url) => ['--skip-download', '--print', 'formats_table', '--', `${url}/page`]],
      ],
      [
        ['tells facts alone', (url) => ['--skip-download', ...FACTS, '--', `${url}/page`]],
        ['gets no work', () => []],
        ['has few extractors', (url) => ['--use-extractors', 'tell', '--', `${url}/page`]],
        ['trusts nobody', (url) => ['--no-check-certificates', '--skip-download', '--', `${url}/page`]],
      ],
    ),
  )('that %s is as the program: output, errors, files and exit code', async (_what, args) => {
    const [cold, forked] = [await call(args(site.url), { using }), await call(args(site.url), { using, warm })];
    expect({ ...forked, cwd: '' }).toEqual({ ...cold, cwd: '' });
  });

  it('finds no secret in its parent', async () => {
    const about = (file: string) => readFile(`/proc/${String(pid)}/${file}`, 'latin1');
    const pid = await warm.ready();
    const names = (await about('environ')).split('\0').map((line) => line.split('=')[0]);
    expect(names.sort()).toEqual(['', 'HOME', 'LANG', 'PATH', 'PYTHONDONTWRITEBYTECODE', 'TMPDIR']);
    expect((await about('environ')) + (await about('cmdline'))).not.toContain(secret);
  });

  it('has the version that its parent reports', async () => {
    const { stdout } = await call(['--version'], { using, warm });
    expect(`${await warm.version()}\n`).toBe(stdout);
  });

  it('is not made with other plugins', async () => {
    expect(await warm.startOf({ program: settings.program })).toBeUndefined();
    expect(await warm.startOf({ program: settings.program, pluginDir })).toBeDefined();
  });

  it('has its own environment, folder, descriptors, limits, signals, random numbers and group', async () => {
    const NAMES = ['HOME', 'LANG', 'PATH', 'PYTHONDONTWRITEBYTECODE', 'TMPDIR', 'all_proxy'];
    const args = ['--ignore-no-formats-error', '--print', 'title', '--print', 'description', '--', 'tell:facts'];
    const factsOf = (result: Called) => {
      const [facts = '', chance = ''] = result.stdout.split('\n');
      const parsed = JSON.parse(facts.replaceAll(result.cwd, '/call')) as {
        environment: Record<string, string>;
        more: string[];
      };
      return {
        facts: { ...parsed, more: [] },
        more: parsed.more,
        chance: JSON.parse(chance) as [number, string, boolean, number],
      };
    };
    const cold = factsOf(await call(args, { using }));
    const forks = [call(args, { using, warm }), call(args, { using, warm })];
    const [one, two] = (await Promise.all(forks)).map(factsOf);
    // A shell adds some.
    expect(Object.keys(one!.facts.environment).sort()).toEqual(NAMES);
    expect(cold.facts.environment).toMatchObject(one!.facts.environment);
    expect({ ...one!.facts, environment: {} }).toEqual({ ...cold.facts, environment: {} });
    // Descriptors beside the first three; the test's own process may hand some on.
    expect([one!.more, two!.more]).toEqual([[], []]);
    expect(one!.chance[0]).not.toBe(two!.chance[0]);
    expect(one!.chance[3]).not.toBe(two!.chance[3]);
    expect([one!.chance[2], two!.chance[2]]).toEqual([true, true]);
  });

  it.each(['hang', 'stubborn'])('is ended with its subprocesses when it is cancelled (%s)', async (page) => {
    const controller = new AbortController();
    const { ended, pids } = await begin(warm, { using, page, signal: controller.signal, killAfterMs: 300 });
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await ended).toBe(reason);
    await areGone(pids);
  });

  it('that is cancelled before its process is known is ended', async () => {
    const controller = new AbortController();
    const pids: number[] = [];
    const args = [...baseArguments(settings, undefined), '--', 'tell:hang'];
    const start = (await warm.startOf(settings))?.start;
    const ended = run(settings.program, args, {
      ...{ cwd: folder, env: bareEnvironment(settings.program), onStart: (pid) => pids.push(pid) },
      ...{ signal: controller.signal, ...(start === undefined ? {} : { start }) },
    });
    expect(pids).toEqual([]);
    controller.abort();
    await expect(ended).rejects.toMatchObject({ name: 'AbortError' });
    expect(pids).toHaveLength(1);
    await areGone(pids);
  });

  it('that another process kills is not a result of the program', async () => {
    const { ended, pids } = await begin(warm, { using });
    process.kill(pids[0]!, 'SIGKILL');
    expect(await ended).toBeInstanceOf(RunKilledError);
    await areGone(pids);
  });
});

describe.runIf(isPossible)('a preloaded yt-dlp', () => {
  it('that is killed ends its calls, and the next call works', async () => {
    const warm = await keepWarm({ retryAfterMs: 0 });
    const before = await warm.ready();
    const { ended, pids } = await begin(warm);
    process.kill(before, 'SIGKILL');
    expect(await ended).toBeInstanceOf(RunKilledError);
    await areGone(pids);
    expect(await warm.startOf(few)).toBeUndefined();
    expect(await warm.ready()).not.toBe(before);
    expect(await call(['--version'], { warm })).toMatchObject({ exitCode: 0 });
  });

  it('that is killed is reported until the next one may start', async () => {
    const warm = await keepWarm();
    process.kill(await warm.ready(), 'SIGKILL');
    await until(async () => (await warm.startOf(few)) === undefined, { what: 'the end of the parent' });
    await expect(warm.ready()).rejects.toThrow('SIGKILL ended it');
    await expect(warm.version()).rejects.toThrow('SIGKILL ended it');
  });

  it('that stops answering is ended with its call', async () => {
    const warm = await keepWarm();
    const pid = await warm.ready();
    process.kill(pid, 'SIGSTOP');
    await expect(call(['--version'], { warm, timeoutMs: 200, killAfterMs: 200 })).rejects.toMatchObject({
      name: 'RunTimeoutError',
    });
    await areGone([pid]);
  });

  it('ends with its calls when its worker is killed', async () => {
    const root = new URL('../../', import.meta.url);
    const file = join(folder, 'owner.mts');
    const cwd = await mkdtemp(join(folder, 'owned-'));
    await writeFile(
      file,
      `import { writeFileSync } from 'node:fs';
      import { run } from ${JSON.stringify(new URL('runtime/subprocess/run-program.ts', root).href)};
      import { createWarmYtdlp } from ${JSON.stringify(new URL('sources/vidnet/warm/warm-yt-dlp.ts', root).href)};
      const settings = ${JSON.stringify(few)};
      const warm = createWarmYtdlp(settings);
      writeFileSync(${JSON.stringify(join(cwd, 'parent'))}, String(await warm.ready()));
      const args = ['--no-plugin-dirs', '--plugin-dirs', settings.pluginDir, '--', 'tell:stubborn'];
      await run(settings.program, args, { cwd: ${JSON.stringify(cwd)}, env: { PATH: '/usr/bin:/bin' }, start: (await warm.startOf(settings))?.start });`,
    );
    const owner = spawn(process.execPath, [file], { stdio: 'inherit' });
    onTestFinished(() => void owner.kill('SIGKILL'));
    const text = await until(async () => (await pidsIn(cwd)) || undefined, { what: 'the call' });
    const pids = [await readFile(join(cwd, 'parent'), 'utf8'), ...text.split(' ')].map(Number);
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    const own = await readlink(`/proc/${String(pids[0])}/cwd`);
    owner.kill('SIGKILL');
    await areGone(pids);
    await expect(stat(own)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('whose worker is killed at its start leaves a folder until the next start', async () => {
    const pidFile = join(folder, 'warms-up');
    const lines = [`import os, time`, `open('${pidFile}', 'w').write(str(os.getpid()))`, 'time.sleep(60)'];
    const program = await script('slow-too', ...lines, ...RUN);
    const file = join(folder, 'short-lived-owner.mts');
    const module = new URL('../../sources/vidnet/warm/warm-yt-dlp.ts', import.meta.url).href;
    const own = JSON.stringify({ ...settings, program });
    await writeFile(
      file,
      `import { createWarmYtdlp } from ${JSON.stringify(module)};\nawait createWarmYtdlp(${own}).ready();`,
    );
    const living = await readlink(`/proc/${String(await (await keepWarm()).ready())}/cwd`);
    const owner = spawn(process.execPath, [file], { stdio: 'inherit' });
    onTestFinished(() => void owner.kill('SIGKILL'));
    const pid = await until(async () => Number(await readFile(pidFile, 'utf8').catch(() => '')) || undefined, {
      what: 'the parent',
    });
    const left = await readlink(`/proc/${String(pid)}/cwd`);
    // The address of a socket may have 107 bytes.
    expect(join(left, 'streams').length - tmpdir().length).toBeLessThan(80);
    owner.kill('SIGKILL');
    await areGone([owner.pid!, pid]);
    expect((await stat(left)).isDirectory()).toBe(true);
    await keepWarm();
    await expect(stat(left)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await stat(living)).isDirectory()).toBe(true);
  });

  it('is replaced after some calls, and ends after its last call', async () => {
    const warm = await keepWarm({ maxCalls: 2 });
    const before = await warm.ready();
    const controller = new AbortController();
    const { ended } = await begin(warm, { signal: controller.signal });
    await call(['--version'], { warm });
    await call(['--version'], { warm });
    await until(async () => (await warm.ready()) !== before, { what: 'another parent' });
    expect(isAlive(before)).toBe(true);
    controller.abort();
    await ended;
    await areGone([before]);
  });

  it('is replaced at its maximum age', async () => {
    const warm = await keepWarm({ maxAgeMs: 0 });
    const before = await warm.ready();
    await call(['--version'], { warm });
    await until(async () => (await warm.ready()) !== before, { what: 'another parent' });
    await areGone([before]);
  });

  it('accepts no call when its program has changed, and is replaced', async () => {
    const program = await script('changing', ...FEW_SITES, ...RUN);
    const warm = await keepWarm({}, { program });
    const before = await warm.ready();
    expect(await warm.startOf({ program, pluginDir })).toBeDefined();
    await appendFile(program, '# changed\n');
    expect(await warm.startOf({ program, pluginDir })).toBeUndefined();
    expect(await warm.ready()).not.toBe(before);
    await areGone([before]);
  });

  it('has done the slowest work of calls in advance', async () => {
    const program = await readPythonProgram(settings.program);
    const env = () => Promise.resolve(bareEnvironment(settings.program));
    const signal = new AbortController().signal;
    const parent = await startWarmParent({ program, env, args: ['--version'], urls: [], signal });
    onTestFinished(() => parent.close());
    const kept = ['keep_extractors', 'keep_certificates', 'keep_parser'];
    expect(parent.spared).toEqual(['draw_no_tables', ...kept, 'compile_expressions']);
  });

  it('that is closed leaves nothing behind', async () => {
    const warm = await keepWarm();
    const { ended, pids } = await begin(warm);
    const pid = await warm.ready();
    const own = await readlink(`/proc/${String(pid)}/cwd`);
    expect((await stat(own)).mode & 0o777).toBe(0o700);
    await warm.close();
    expect(await ended).toBeInstanceOf(RunKilledError);
    await areGone([pid, ...pids]);
    await expect(stat(own)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('that is closed at its start ends at once', async () => {
    const program = await script('slow', 'import time', 'time.sleep(60)', ...RUN);
    const warm = createWarmYtdlp({ ...settings, program });
    const pid = await until(() => childOfOurs(program), { what: 'the parent' });
    await warm.close();
    await areGone([pid]);
    await expect(warm.ready()).rejects.toThrow('did not start');
  });

  it.each([
    ['is no yt-dlp', ['print(1)'], /did not start/],
    ['fails', [...RUN.slice(0, 1), 'raise SystemExit("no")'], /the first run ended with 1/],
    [
      'leaves a thread',
      [
        'import threading, time',
        'threading.Thread(target=time.sleep, args=(60,), daemon=True).start()',
        ...FEW_SITES,
        ...RUN,
      ],
      /threads are left/,
    ],
  ])('is none, with the reason, where the program %s', async (name, lines, reason) => {
    const failures: (Error | undefined)[] = [];
    const program = await script(name.replaceAll(' ', '-'), ...lines);
    const warm = createWarmYtdlp({ ...settings, program }, { onStateChange: (failure) => failures.push(failure) });
    onTestFinished(() => warm.close());
    await expect(warm.ready()).rejects.toThrow(reason);
    expect(failures).toEqual([expect.objectContaining({ message: expect.stringMatching(reason) })]);
    expect(await warm.startOf({ program, pluginDir })).toBeUndefined();
  });
});

it('a program that is not written in Python is started for each call, which is reported', async () => {
  const program = process.execPath;
  const failures: (Error | undefined)[] = [];
  const warm = createWarmYtdlp({ ...settings, program }, { onStateChange: (failure) => failures.push(failure) });
  await expect(warm.ready()).rejects.toThrow(process.platform === 'linux' ? 'is no Python script' : 'only Linux');
  expect(failures).toHaveLength(1);
  expect(await warm.startOf({ program, pluginDir })).toBeUndefined();
  await warm.close();
});

describe('the interpreter of a program', () => {
  it.each([
    ['a script', '#!/opt/y/bin/python3\nx', ['/opt/y/bin/python3'], false],
    ['a script with flags', '#! /usr/bin/python3.12 -sP \nx', ['/usr/bin/python3.12', '-sP'], false],
    [
      'a script with a long path',
      `#!/bin/sh\n'''exec' "/a b/bin/python3" "$0" "$@"\n' '''\n`,
      ['/a b/bin/python3'],
      false,
    ],
    ['our launcher', '#!/bin/sh\nexec "${0%/*}/python3" -I -m yt_dlp "$@"\n', ['HERE/python3', '-I'], true],
  ])('of %s is known', async (_what, text, words, isModule) => {
    const file = join(folder, 'program');
    await writeFile(file, text);
    const { python, flags, ...rest } = await readPythonProgram(file);
    expect([python, ...flags]).toEqual(words.map((word) => word.replace('HERE', folder)));
    expect(rest).toEqual({ file, isModule });
  });

  it.each(['#!/bin/sh\nexec yt-dlp\n', '\x7fELF', '', '#!/usr/bin/env perl\n'])('of %j is not found', async (text) => {
    const file = join(folder, 'other');
    await writeFile(file, text);
    await expect(readPythonProgram(file)).rejects.toThrow('no Python script');
  });
});
