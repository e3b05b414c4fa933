import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runCommand } from '../../sources/vidnet/releases/release-commands.ts';
import { createWarmYtdlp, type WarmYtdlp } from '../../sources/vidnet/warm/warm-yt-dlp.ts';
import { RecordedSite } from '../helpers/recorded-site.ts';
import { PINNED, setPages, startBench, workerOf } from '../helpers/release-bench.ts';
import { helperWheel } from '../helpers/releases.ts';
import { until } from '../helpers/until.ts';
import { canBeWarm } from '../helpers/warm.ts';

// Releases run with the interpreter and the packages of the pinned one, which must be there.
const isPossible = await canBeWarm(inject('tools').ytdlp);
const { signal } = new AbortController();
let site: RecordedSite;
beforeAll(async () => {
  site = await RecordedSite.start();
  setPages(site);
});
afterAll(() => site.stop());

describe.runIf(isPossible)('a newer yt-dlp', () => {
  it('is given up when it fails where the one before did not, and not when both fail', async () => {
    const { index, releases, read, told, folder, indexUrl } = await startBench(site);
    index.add({ version: '2027.1.5' });
    await releases.update(signal);
    await read('first');
    index.add({ version: '2027.1.6', cannotRead: '/recorded/second' });
    await releases.update(signal);
    const other = workerOf(site, { folder, indexUrl });
    expect((await read('first')).by).toBe('2027.1.6');
    expect((await other.read('first')).by).toBe('2027.1.6');
    await expect(read('nowhere')).rejects.toMatchObject({ code: 'removed' });
    expect((await read('third')).by).toBe('2027.1.6');

    expect(await read('second')).toEqual({ title: 'the second page', by: '2027.1.5' });
    expect(told().slice(3)).toEqual(['switched 2027.1.6', 'refused 2027.1.6', 'switched 2027.1.5']);
    expect((await read('third')).by).toBe('2027.1.5');
    // As does every worker that shares the folder.
    expect((await other.read('third')).by).toBe('2027.1.5');
    expect(other.told()).toEqual(['switched 2027.1.6', 'switched 2027.1.5']);
  });

  it('that does not work here is refused before any job meets it', async () => {
    const { index, releases, read, events } = await startBench(site);
    index.add({ version: '2027.1.5', callsItself: '2027.01.04' });
    await expect(releases.update(signal)).rejects.toThrow('it calls itself "2027.01.04"');
    index.add({ version: '2027.1.6', cannotRead: 'http://127.0.0.1' });
    await expect(releases.update(signal)).rejects.toThrow('Unable to extract');
    expect(events).toMatchObject([{ version: '2027.1.5' }, { what: 'refused', version: '2027.1.6' }]);
    await releases.update(signal);
    expect((await read('first')).by).toBe('pinned');
  });

  it('brings the helper that it names, with its checksum, and is not used without', async () => {
    const { index, releases, folder } = await startBench(site);
    index.add({ version: '2027.1.5', helper: '0.9.0' });
    const body = helperWheel('0.9.0');
    index.wheels.push({ name: 'yt-dlp-ejs', version: '0.8.0', body });
    await expect(releases.update(signal)).rejects.toThrow('has no yt-dlp-ejs 0.9.0');
    index.wheels.push({ name: 'yt-dlp-ejs', version: '0.9.0', body, sha256: '1'.repeat(64) });
    await expect(releases.update(signal)).rejects.toThrow('SHA-256');
    expect(await readdir(folder)).toEqual([]);
    index.wheels.splice(-1, 1, { name: 'yt-dlp-ejs', version: '0.9.0', body });
    await releases.update(signal);
    expect(await readFile(join(folder, '2027.1.5/yt_dlp_ejs/__init__.py'), 'utf8')).toContain('0.9.0');
  });

  it('is put there once by two workers that look at the same time', async () => {
    const { index, releases, folder, indexUrl, read } = await startBench(site);
    index.add({ version: '2027.1.5' });
    const other = workerOf(site, { folder, indexUrl });
    await Promise.all([releases.update(signal), other.releases.update(signal)]);
    expect(await readdir(folder)).toEqual(['2027.1.5']);
    const both = await Promise.all([read('first'), other.read('second')]);
    expect(both.map(({ by }) => by)).toEqual(['2027.1.5', '2027.1.5']);
  });

  it('is kept warm in place of the one before', async () => {
    const warm: WarmYtdlp[] = [];
    const { index, releases, read } = await startBench(site, {
      keepWarm: (settings) => {
        warm.push(createWarmYtdlp(settings));
        return warm.at(-1)!;
      },
    });
    index.add({ version: '2027.1.5' });
    expect((await read('first')).by).toBe('pinned');
    const before = await warm[0]!.ready();
    await releases.update(signal);
    await read('first');
    expect(await warm[1]!.version()).toBe('2027.1.5');
    await until(() => !isAlive(before), { what: 'the end of the parent before', within: 10_000 });
    expect(await read('second')).toEqual({ title: 'the second page', by: '2027.1.5' });
  });
});

describe.runIf(isPossible)('an operator', () => {
  it('chooses a release, goes back, and lets the channel choose again', async () => {
    const { index, releases, read } = await startBench(site);
    const command = (...line: string[]) => runCommand(line, { releases, pinned: PINNED, signal });
    for (const version of ['2026.9.1', '2027.1.5', '2027.1.6']) index.add({ version });
    expect(await command('update')).toMatch(
      /^The newest is 2027\.1\.6\.\n2027\.1\.6 .*the next job tries it\n2026\.10\.26 .*in use, of YTDLP_PATH$/,
    );
    await read('first');
    expect(await command('use', '2026.09.01')).toMatch(/2026\.9\.1 .*in use, as you chose/);
    expect((await read('first')).by).toBe('2026.9.1');
    await command('use', 'pinned');
    expect((await read('first')).by).toBe('pinned');
    await command('update');
    expect((await read('first')).by).toBe('2027.1.6');
    expect(await command('back')).toMatch(/2027\.1\.6 .*refused: by an operator/);
    expect((await read('first')).by).toBe('pinned');
    await expect(command('back')).rejects.toThrow(`new jobs use ${PINNED}`);
    await expect(command('use', '2027.9.9')).rejects.toThrow('has no yt-dlp 2027.9.9');
    await expect(command('use', '../up')).rejects.toThrow('use which VERSION?');
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
