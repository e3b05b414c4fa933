import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runCommand } from '../../sources/vidnet/releases/release-commands.ts';
import { createWarmYtdlp, type WarmYtdlp } from '../../sources/vidnet/warm/warm-yt-dlp.ts';
import { RecordedSite } from '../helpers/recorded-site.ts';
import { PINNED, setPages, startBench, workerOf, helperWheel } from '../helpers/releases.ts';
import { until } from '../helpers/until.ts';
import { canBeWarm } from '../helpers/yt-dlp.ts';

// Releases run with the interpreter and the packages of the pinned one, which must be there.
const isPossible = await canBeWarm(inject('tools').ytdlp);
const { signal } = new AbortController();
let site: RecordedSite;
beforeAll(async () => {
  site = await RecordedSite.start();
  setPages(site);
});
afterAll(() => site.stop());

describe.runIf(isPossible)('a newer release of yt-dlp', () => {
  it('is installed with the scripts that it needs, and not without them', async () => {
    const { index, releases, folder } = await startBench(site);
    index.add({ version: '2027.1.5', helper: '0.9.0' });
    const body = helperWheel('0.9.0');
    index.wheels.push({ name: 'yt-dlp-ejs', version: '0.8.0', body });
    await expect(releases.install(signal)).rejects.toThrow('has no yt-dlp-ejs 0.9.0');
    index.wheels.push({ name: 'yt-dlp-ejs', version: '0.9.0', body, sha256: '1'.repeat(64) });
    await expect(releases.install(signal)).rejects.toThrow('SHA-256');
    expect(await readdir(folder)).toEqual([]);
    index.wheels.splice(-1, 1, { name: 'yt-dlp-ejs', version: '0.9.0', body });
    await releases.install(signal);
    expect(await readFile(join(folder, '2027.1.5/yt_dlp_ejs/__init__.py'), 'utf8')).toContain('0.9.0');
  });

  it('is installed once by two workers that check at the same time', async () => {
    const { index, releases, folder, indexUrl, read } = await startBench(site);
    index.add({ version: '2027.1.5' });
    const other = workerOf(site, { folder, indexUrl });
    await Promise.all([releases.install(signal), other.releases.install(signal)]);
    expect(await readdir(folder)).toEqual(['2027.1.5']);
    const both = await Promise.all([read('first'), other.read('second')]);
    expect(both.map(({ by }) => by)).toEqual(['2027.1.5', '2027.1.5']);
    await releases.folder.refuse('2027.1.5', 'by an operator');
    expect((await other.read('third')).by).toBe('pinned');
    expect(other.eventLines().slice(-2)).toEqual(['switched 2027.1.5', `switched ${PINNED}`]);
  });

  it('is preloaded in place of the earlier one', async () => {
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
    await releases.install(signal);
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
    expect(await command('update')).toBe('The newest is 2027.1.6.\n2027.1.6  in use\n2026.10.26  of YTDLP_PATH');
    expect(await command('use', '2026.09.01')).toMatch(/2027\.1\.6 {2}installed\n2026\.9\.1 {2}in use, as you chose/);
    expect((await read('first')).by).toBe('2026.9.1');
    await command('use', 'pinned');
    expect((await read('first')).by).toBe('pinned');
    await command('update');
    expect((await read('first')).by).toBe('2027.1.6');
    expect(await command('back')).toMatch(/2027\.1\.6 {2}refused: by an operator/);
    expect((await read('first')).by).toBe('pinned');
    await expect(command('back')).rejects.toThrow(`new jobs use ${PINNED}`);
    await expect(command('use', '2027.9.9')).rejects.toThrow('has no yt-dlp 2027.9.9');
    await command('use', '2027.1.6');
    expect((await read('first')).by).toBe('2027.1.6');
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
