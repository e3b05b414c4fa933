import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { until } from '../helpers/until.ts';

const MINUTE_MS = 60_000;
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tapedeck-work-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Creates the folder of a worker in another container on the same volume. */
async function ofAnotherHost(recordId: string, { silentMinutes }: { readonly silentMinutes: number }): Promise<string> {
  const path = join(root, `${recordId}~3f9c1b2a7d10~7-4711~c0ffee`);
  await mkdir(path);
  const then = new Date(Date.now() - silentMinutes * MINUTE_MS);
  await utimes(path, then, then);
  return basename(path);
}

describe('work folders of workers that share a volume', () => {
  it('of another host are removed when they have not been touched for ten minutes', async () => {
    const living = await ofAnotherHost('living', { silentMinutes: 9 });
    const gone = await ofAnotherHost('gone', { silentMinutes: 11 });
    expect(await createWorkFolders(root).removeAbandoned()).toEqual([gone]);
    expect(await readdir(root)).toEqual([living]);
  });

  it('are removed by the next attempt at the same download on any host', async () => {
    const gone = await ofAnotherHost('one', { silentMinutes: 11 });
    const other = await ofAnotherHost('two', { silentMinutes: 11 });
    const { path } = await createWorkFolders(root).open('one');
    const left = await readdir(root);
    expect(left).toEqual(expect.arrayContaining([other, basename(path)]));
    expect(left).not.toContain(gone);
  });

  it('are touched while they are open', async () => {
    const folder = await createWorkFolders(root, { touchEveryMs: 5 }).open('long');
    const then = new Date(Date.now() - 60 * MINUTE_MS);
    await utimes(folder.path, then, then);
    await until(async () => ((await stat(folder.path)).mtimeMs > Date.now() - MINUTE_MS ? true : undefined), {
      what: 'a newer time',
    });
    await folder.remove();
    expect(await readdir(root)).toEqual([]);
  });

  it('of a running process on this host are kept', async () => {
    const folders = createWorkFolders(root);
    const { path } = await folders.open('mine');
    const then = new Date(Date.now() - 60 * MINUTE_MS);
    await utimes(path, then, then);
    expect(await folders.removeAbandoned()).toEqual([]);
  });

  it.each(['..', '../outside', 'a/b', '', 'one~two', 'a\0'])('cannot be named %j', async (recordId) => {
    await expect(createWorkFolders(join(root, 'work')).open(recordId)).rejects.toThrow('cannot name a work folder');
    expect(await readdir(root)).toEqual([]);
  });
});
