import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { RecordedSite } from '../helpers/recorded-site.ts';
import { PINNED, serveSlowPage, setPages, startBench } from '../helpers/release-bench.ts';
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
  it('is fetched, tried by the next job, and used by all after it; a job that runs ends with the one before', async () => {
    const { index, releases, read, told, folder } = await startBench(site);
    for (const version of ['2027.1.5', '2026.9.1', '2027.2.1.1230.dev0', '2028.1.1rc1']) index.add({ version });
    index.add({ version: '2027.3.1' }, { yanked: true });
    await releases.update(signal);
    expect(told()).toEqual(['fetched 2027.1.5']);
    expect(await releases.current()).toMatchObject({ version: PINNED });

    const [trial, running] = [await serveSlowPage(), await serveSlowPage()];
    const tried = read(trial.url);
    await until(trial.isAsked, { what: 'the request of the job that tries it', within: 60_000 });
    const before = read(running.url);
    await until(running.isAsked, { what: 'the request of the job beside it', within: 60_000 });
    trial.send();
    expect(await tried).toEqual({ title: 'the slow page', by: '2027.1.5' });
    expect(told()).toEqual(['fetched 2027.1.5', 'switched 2027.1.5']);
    expect(await read('second')).toEqual({ title: 'the second page', by: '2027.1.5' });
    expect(await releases.current()).toMatchObject({ version: '2027.1.5', releasedOn: '2027-01-05' });
    running.send();
    expect(await before).toEqual({ title: 'the slow page', by: 'pinned' });

    await releases.update(signal);
    expect(index.requests.filter((path) => path.startsWith('/files/'))).toEqual([
      '/files/yt_dlp-2027.1.5-py3-none-any.whl',
    ]);
    expect((await readdir(folder)).sort()).toEqual(['2027.1.5', '2027.1.5.good']);
  });

  it('with another checksum than that of the index is not unpacked, and jobs go on', async () => {
    const { index, releases, read, told, folder } = await startBench(site);
    index.add({ version: '2027.1.5' }, { sha256: '0'.repeat(64) });
    await expect(releases.update(signal)).rejects.toThrow(/SHA-256 \w+, and not 0{64}/);
    expect([await readdir(folder), told()]).toEqual([[], []]);
    expect(await read('first')).toEqual({ title: 'the first page', by: 'pinned' });
  });

  it('that fails on the page of its trial is not used, and the job is done by the one before', async () => {
    const { index, releases, read, events } = await startBench(site);
    index.add({ version: '2027.1.5', cannotRead: '/recorded/first' });
    await releases.update(signal);
    expect(await read('first')).toEqual({ title: 'the first page', by: 'pinned' });
    expect(events.slice(1)).toEqual([
      { what: 'refused', version: '2027.1.5', reason: expect.stringContaining('Unable to extract player response') },
    ]);
    expect(await read('second')).toEqual({ title: 'the second page', by: 'pinned' });
    await releases.update(signal);
    expect(events).toHaveLength(2);
    index.add({ version: '2027.1.6' });
    await releases.update(signal);
    expect(await read('first')).toEqual({ title: 'the first page', by: '2027.1.6' });
  });
});

describe('releases that nobody has used for a day', () => {
  it('are removed, but for the newest two and those in use', async () => {
    const { releases, folder } = await startBench(site);
    const versions = ['2027.1.1', '2027.1.2', '2027.1.3', '2027.1.4', '2027.1.5'];
    const dayAgo = new Date(Date.now() - 25 * 3_600_000);
    for (const name of [...versions, '2027.1.6.abc.tmp']) {
      await mkdir(join(folder, name));
      await utimes(join(folder, name), dayAgo, dayAgo);
    }
    for (const version of versions) await releases.folder.approve(version);
    await releases.folder.touch('2027.1.2');
    expect(await releases.folder.tidy(['2027.1.3'], Date.now())).toEqual(['2027.1.1']);
    expect((await readdir(folder)).filter((name) => !name.endsWith('.good')).sort()).toEqual(versions.slice(1));
  });
});
