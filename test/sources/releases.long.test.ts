import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { run } from '../../runtime/subprocess/run-program.ts';
import { createWarmYtdlp } from '../../sources/vidnet/warm/warm-yt-dlp.ts';
import { ROOT } from '../helpers/markdown.ts';
import { RecordedSite } from '../helpers/recorded-site.ts';
import { PINNED, setPages, startBench, workerOf, helperWheel } from '../helpers/releases.ts';
import { until } from '../helpers/until.ts';
import { canBeWarm } from '../helpers/yt-dlp.ts';

// Releases run with the interpreter and the packages of the pinned one, which must be there.
const isPossible = await canBeWarm(inject('tools').ytdlp);
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
    await expect(releases.install()).rejects.toThrow('has no yt-dlp-ejs 0.9.0');
    index.wheels.push({ name: 'yt-dlp-ejs', version: '0.9.0', body, sha256: '1'.repeat(64) });
    await expect(releases.install()).rejects.toThrow('SHA-256');
    expect(await readdir(folder)).toEqual([]);
    index.wheels.splice(-1, 1, { name: 'yt-dlp-ejs', version: '0.9.0', body });
    await releases.install();
    expect(await readFile(join(folder, '2027.1.5/yt_dlp_ejs/__init__.py'), 'utf8')).toContain('0.9.0');
  });

  it('is installed once by two workers that check at the same time', async () => {
    const { index, releases, folder, indexUrl, read } = await startBench(site);
    index.add({ version: '2027.1.5' });
    const other = workerOf(site, { folder, indexUrl });
    await Promise.all([releases.install(), other.releases.install()]);
    expect(await readdir(folder)).toEqual(['2027.1.5']);
    const both = await Promise.all([read('first'), other.read('second')]);
    expect(both.map(({ by }) => by)).toEqual(['2027.1.5', '2027.1.5']);
    await releases.refuse('2027.1.5', 'by an operator');
    expect((await other.read('third')).by).toBe('pinned');
    expect(other.eventLines().slice(-2)).toEqual(['switched 2027.1.5', `switched ${PINNED}`]);
  });

  it('is preloaded in place of the earlier one', async () => {
    const { index, releases, read, settings } = await startBench(site);
    index.add({ version: '2027.1.5' });
    const warm = createWarmYtdlp(settings);
    onTestFinished(() => warm.close());
    const before = await warm.ready();
    expect((await read('first', warm)).by).toBe('pinned');
    await releases.install();
    await read('first', warm);
    expect(await warm.version()).toBe('2027.1.5');
    await until(() => !isAlive(before), { what: 'the end of the parent before', within: 10_000 });
    expect(await read('second', warm)).toEqual({ title: 'the second page', by: '2027.1.5' });
  });
});

describe.runIf(isPossible)('an operator', () => {
  it('installs the newest release, and goes back to the one before', async () => {
    const { index, indexUrl, folder } = await startBench(site);
    const command = async (...line: readonly string[]): Promise<string> => {
      const { stdout, stderrTail } = await run(process.execPath, [`${ROOT}operator/yt-dlp/main.ts`, ...line], {
        ...{ cwd: folder, timeoutMs: 120_000, maxStdoutChars: 10_000 },
        env: {
          ...{ PATH: process.env['PATH'] ?? '', DATA_DIR: folder, YTDLP_PATH: inject('tools').ytdlp },
          ...{ YTDLP_CHANNEL: 'stable', YTDLP_INDEX_URL: indexUrl },
        },
      });
      return stdout + stderrTail;
    };
    index.add({ version: '2026.9.1' });
    expect(await command('update')).toMatch(/^There is no newer release\.\n\S+ {2}in use, of YTDLP_PATH\n$/);
    index.add({ version: '2027.1.5' });
    await command('update');
    index.add({ version: '2027.1.6' });
    expect(await command('update')).toMatch(
      /^The newest release is 2027\.1\.6\.\n2027\.1\.6 {2}in use\n2027\.1\.5 {2}installed\n/,
    );
    const afterBack = /^2027\.1\.6 {2}refused: by an operator\n2027\.1\.5 {2}in use\n\S+ {2}of YTDLP_PATH\n$/;
    expect(await command('back')).toMatch(afterBack);
    expect(await command('update')).toContain('2027.1.6  refused: by an operator');
    expect(await command('back')).toMatch(/in use, of YTDLP_PATH\n$/);
    expect(await command('back')).toContain('which is the pinned release');
    expect(await command('list', 'all')).toContain('no such command');
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
