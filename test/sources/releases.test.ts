import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { RecordedSite } from '../helpers/recorded-site.ts';
import { PINNED, serveSlowPage, setPages, startBench } from '../helpers/releases.ts';
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
  it('is installed in a folder named after its version and used by new runs, while a run that has begun ends with the earlier one', async () => {
    const { index, releases, read, eventLines, folder } = await startBench(site);
    for (const version of ['2027.1.5', '2026.9.1', '2027.2.1.1230.dev0', '2028.1.1rc1', '2027.2.31'])
      index.add({ version });
    index.add({ version: '2027.3.1' }, { yanked: true });
    expect(await releases.choose()).toMatchObject({ version: PINNED });
    const running = await serveSlowPage();
    const before = read(running.url);
    await until(running.isRequested, { what: 'the request of the run that has begun', within: 60_000 });

    expect(await releases.install()).toBe('2027.1.5');
    expect(await read('first')).toEqual({ title: 'the first page', by: '2027.1.5' });
    expect(eventLines()).toEqual(['fetched 2027.1.5', 'switched 2027.1.5']);
    expect(await releases.choose()).toEqual({ version: '2027.1.5', program: join(folder, '2027.1.5/yt-dlp') });
    running.send();
    expect(await before).toEqual({ title: 'the slow page', by: 'pinned' });

    await releases.install();
    expect(index.requests.filter((path) => path.startsWith('/files/'))).toEqual([
      '/files/yt_dlp-2027.1.5-py3-none-any.whl',
    ]);
    expect(await readdir(folder)).toEqual(['2027.1.5']);
  });

  it('is not unpacked when its checksum is not that of the index', async () => {
    const { index, releases, read, eventLines, folder } = await startBench(site);
    index.add({ version: '2027.1.5' }, { sha256: '0'.repeat(64) });
    await expect(releases.install()).rejects.toThrow(/SHA-256 \w+, and not 0{64}/);
    expect([await readdir(folder), eventLines()]).toEqual([[], []]);
    expect(await read('first')).toEqual({ title: 'the first page', by: 'pinned' });
  });

  it('is refused before any job uses it when it does not work', async () => {
    const { index, releases, read, events, folder } = await startBench(site);
    index.add({ version: '2027.1.5', callsItself: '2027.01.04' });
    await expect(releases.install()).rejects.toThrow('it calls itself "2027.01.04"');
    index.add({ version: '2027.1.6', cannotRead: 'http://127.0.0.1' });
    await expect(releases.install()).rejects.toThrow('Unable to extract');
    expect(events).toEqual([
      { what: 'refused', version: '2027.1.5', reason: expect.stringContaining('it calls itself') },
      { what: 'refused', version: '2027.1.6', reason: expect.stringContaining('Unable to extract') },
    ]);
    await releases.install();
    expect(events).toHaveLength(2);
    expect((await read('first')).by).toBe('pinned');
    expect((await readdir(folder)).sort()).toEqual(['2027.1.5.refused', '2027.1.6.refused']);
    index.add({ version: '2027.1.7' });
    await releases.install();
    expect((await read('first')).by).toBe('2027.1.7');
  });
});

describe('the folder of releases', () => {
  it('removes releases after a day, except the newest two and the current one', async () => {
    const { releases, folder } = await startBench(site);
    const versions = ['2027.1.1', '2027.1.2', '2027.1.3', '2027.1.4'];
    const dayAgo = new Date(Date.now() - 25 * 3_600_000);
    for (const name of [...versions, '2027.1.6.abc.tmp', 'of-someone-else']) {
      await mkdir(join(folder, name));
      await utimes(join(folder, name), dayAgo, dayAgo);
    }
    await mkdir(join(folder, '2027.1.0'));
    for (const refused of ['2027.1.2', '2027.1.3', '2027.1.4']) await releases.refuse(refused, 'a test');
    await releases.removeOld();
    const left = (await readdir(folder)).filter((name) => !name.endsWith('.refused'));
    expect(left.sort()).toEqual(['2027.1.0', '2027.1.1', '2027.1.3', '2027.1.4', 'of-someone-else']);
  });
});
