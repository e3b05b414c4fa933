import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { checkFilesFolder, followFilesFolder, joinFilesFolder } from '../../store/files/files-folder.ts';
import { openMongo } from '../../store/mongo/mongo-client.ts';

function aService() {
  const database = `folder-${randomUUID().slice(0, 8)}`;
  const mongo = openMongo({ uri: inject('mongodbUri'), database, timeoutMs: 5_000 });
  const made: string[] = [];
  onTestFinished(async () => {
    await mongo.db.dropDatabase();
    await mongo.close();
    await Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true })));
  });
  return {
    folder: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tapedeck-folder-'));
      made.push(folder);
      return folder;
    },
    on: (host: string, root: string) => ({ db: mongo.db, root, host }),
  };
}

it('workers of several hosts may share one folder, and start at once', async () => {
  const { folder, on } = aService();
  const shared = await folder();
  await Promise.all(['one', 'two', 'three'].map((host) => joinFilesFolder(on(host, shared))));
  await joinFilesFolder(on('four', shared));
  await checkFilesFolder(on('five', shared));
  expect(await readdir(shared)).toEqual(['.folder-id']);
});

it('a host with another folder is refused until its operator marks that folder as the shared one', async () => {
  const { folder, on } = aService();
  const [first, second] = [await folder(), await folder()];
  await checkFilesFolder(on('two', second));
  await joinFilesFolder(on('one', first));
  const refusal = await joinFilesFolder(on('two', second)).then(
    () => '',
    (error: unknown) => String(error),
  );
  expect(refusal).toContain(`FILES_STORE=disk: ${second} on two is not the folder that one uses.`);
  await expect(checkFilesFolder(on('two', second))).rejects.toThrow('FILES_STORE=s3');
  expect(await readdir(second)).toEqual([]);

  const [, id = '', path = ''] = /echo (\S+) > (\S+)$/.exec(refusal) ?? [];
  await writeFile(path, `${id}\n`);
  await joinFilesFolder(on('two', second));
  await checkFilesFolder(on('two', second));
});

it('an api that started first is notified once when a worker uses another folder', async () => {
  const { folder, on } = aService();
  const [own, other] = [await folder(), await folder()];
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const calls = { ofSame: vi.fn<(error: Error) => void>(), ofAnother: vi.fn<(error: Error) => void>() };
  const follow = (host: string, root: string, onOther: (error: Error) => void) =>
    followFilesFolder(on(host, root), { everyMs: 20, signal: over.signal, onOther });
  await follow('two', other, calls.ofSame);
  await follow('three', own, calls.ofAnother);
  expect(calls.ofAnother).not.toHaveBeenCalled();
  await joinFilesFolder(on('one', other));
  await vi.waitFor(() => expect(calls.ofAnother).toHaveBeenCalled(), 20_000);
  expect(calls.ofAnother.mock.lastCall?.[0].message).toContain(`${own} on three is not the folder that one uses.`);
  await delay(200);
  expect([calls.ofAnother.mock.calls.length, calls.ofSame.mock.calls.length]).toEqual([1, 0]);
  await expect(follow('three', own, calls.ofAnother)).rejects.toThrow('FILES_STORE=s3');
});

it('the host that marked the folder may empty or move it', async () => {
  const { folder, on } = aService();
  const root = await folder();
  await joinFilesFolder(on('one', root));
  await rm(join(root, '.folder-id'));
  await checkFilesFolder(on('one', root));
  await joinFilesFolder(on('one', root));
  const elsewhere = join(await folder(), 'moved');
  await rename(root, elsewhere);
  await joinFilesFolder(on('one', elsewhere));
  await joinFilesFolder(on('two', elsewhere));
});
