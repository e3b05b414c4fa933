import { execFile } from 'node:child_process';
import { mkdir, rm, symlink, writeFile, appendFile, cp, readdir, readFile, rename, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { backUp } from '../../store/backup/backup.ts';
import { restore } from '../../store/backup/restore.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { accept, finish, GRANTED, KEY, silent, useBackupBench } from '../helpers/backup-bench.ts';
import { MANIFEST, pathIn, type Manifest } from '../../store/backup/format.ts';

/** Changes the backup in a folder; `outside` is a folder beside it, to which links may lead. */
interface Alteration {
  readonly what: string;
  readonly alter: (folder: string, outside: string) => Promise<void>;
}

const BAD_IDS = [
  '..',
  '.',
  '',
  '../..',
  '/',
  '../../files',
  '01JD5Z3K6VQ0W8R9T2X4Y6B8C\0',
  '01jd5z3k6vq0w8r9t2x4y6b8cd',
];
const BAD_NAMES = ['rpc-token', '..', '../rpc-token', '../../link-secret', '/tmp/out.m4a', 'a\0.m4a', 'a.m4a\n', ''];
const HUGE = 2 ** 50;

const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as Manifest;
const changeManifest = async (folder: string, change: (manifest: Manifest) => object): Promise<void> =>
  writeFile(join(folder, MANIFEST), JSON.stringify(change(await readManifest(folder))));

/** Changes the lines of a part, and its sum with them: only what is in it can show that. */
async function changeLines(folder: string, part: string, change: (lines: string[]) => string[]): Promise<void> {
  const path = pathIn(folder, part);
  const lines = change((await readFile(path, 'utf8')).split('\n').filter((line) => line !== ''));
  const text = lines.map((line) => `${line}\n`).join('');
  await writeFile(path, text);
  const sum = {
    count: lines.length,
    bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
  };
  await changeManifest(folder, (manifest) =>
    part === 'files'
      ? { ...manifest, files: { ...manifest.files, ...sum } }
      : { ...manifest, collections: { ...manifest.collections, [part]: sum } },
  );
}

/** In the records and in the list, and where it can be in the folder of the files as well. */
async function renameEverywhere(folder: string, from: string, to: string): Promise<void> {
  const quoted = JSON.stringify(to).slice(1, -1).replaceAll('$', '$$$$');
  for (const part of ['records', 'files']) {
    await changeLines(folder, part, (lines) => lines.map((line) => line.replace(from, quoted)));
  }
}

const paths = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
};
const pick = <Item>(items: readonly Item[], index: number): Item => items[index % items.length]!;
const recordIds = (folder: string): Promise<string[]> => readdir(join(folder, 'files')).then((ids) => ids.sort());

const index = fc.nat({ max: 1_000 });
const alteration = (what: string, alter: Alteration['alter']): Alteration => ({ what, alter });

const alterations: fc.Arbitrary<Alteration> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...BAD_IDS), index)
    .map(([id, at]) =>
      alteration(`a record with the id ${JSON.stringify(id)}`, async (folder) =>
        renameEverywhere(folder, pick(await recordIds(folder), at), id),
      ),
    ),
  fc
    .constantFrom(...BAD_NAMES)
    .map((name) =>
      alteration(`a file with the name ${JSON.stringify(name)}`, (folder) => renameEverywhere(folder, 'a.m4a', name)),
    ),
  fc.tuple(fc.constantFrom(...BAD_IDS), fc.constantFrom(...BAD_NAMES)).map(([id, name]) =>
    alteration(`a list that has ${JSON.stringify(`${id}/${name}`)} besides`, (folder) =>
      changeLines(folder, 'files', (lines) => {
        const { file } = JSON.parse(lines[0]!) as { file: object };
        return [JSON.stringify({ recordId: id, file: { ...file, name } }), ...lines];
      }),
    ),
  ),
  index.map((at) =>
    alteration('a symbolic link instead of a file', async (folder, outside) => {
      const path = pick(await paths(folder), at);
      await rename(path, join(outside, 'moved'));
      await symlink(join(outside, 'moved'), path);
    }),
  ),
  index.map((at) =>
    alteration('a symbolic link instead of a folder', async (folder, outside) => {
      const target = join(folder, 'files', ...(at % 2 === 0 ? [] : [pick(await recordIds(folder), at)]));
      await rename(target, join(outside, 'moved'));
      await symlink(join(outside, 'moved'), target);
    }),
  ),
  fc
    .constantFrom('files/link', 'link', 'files/link.m4a')
    .map((name) => alteration(`a link ${name} besides`, (folder, outside) => symlink(outside, join(folder, name)))),
  fc.tuple(index, fc.nat({ max: 255 })).map(([at, byte]) =>
    alteration('another byte', async (folder) => {
      const path = pick(
        (await paths(folder)).filter((one) => !one.endsWith(MANIFEST)),
        at,
      );
      const bytes = await readFile(path);
      const position = at % bytes.length;
      bytes[position] = bytes[position] === byte ? byte ^ 1 : byte;
      await writeFile(path, bytes);
    }),
  ),
  fc.tuple(index, fc.double({ min: 0, max: 0.99, noNaN: true })).map(([at, share]) =>
    alteration('a part that is cut short', async (folder) => {
      const path = pick(await paths(folder), at);
      await truncate(path, Math.floor((await readFile(path)).length * share));
    }),
  ),
  index.map((at) => alteration('a part that is gone', async (folder) => rm(pick(await paths(folder), at)))),
  index.map((at) =>
    alteration('a part of a huge length', async (folder) => {
      const path = pick(await paths(folder), at);
      await truncate(path, 2 ** 40);
    }),
  ),
  fc.constantFrom('records', 'files').map((part) =>
    alteration(`a huge length in ${part}`, (folder) =>
      changeManifest(folder, (manifest) => {
        const { collections, files } = manifest;
        if (part === 'files') return { ...manifest, files: { ...files, bytes: HUGE } };
        return { ...manifest, collections: { ...collections, records: { ...collections['records'], bytes: HUGE } } };
      }),
    ),
  ),
  fc.constantFrom(HUGE, -1, 1.5).map((size) =>
    alteration(`a file of ${String(size)} bytes`, async (folder) => {
      const sizeInList = (line: string): string => line.replace(/"sizeBytes":\d+/, `"sizeBytes":${String(size)}`);
      await changeLines(folder, 'files', (lines) => lines.map(sizeInList));
      await changeLines(folder, 'records', (lines) =>
        lines.map((line) => line.replace(/"sizeBytes":\{[^}]*\}/, `"sizeBytes":{"$numberDouble":"${String(size)}"}`)),
      );
    }),
  ),
  index.map((at) =>
    alteration('a file that is listed twice', (folder) =>
      changeLines(folder, 'files', (lines) => [...lines, pick(lines, at)]),
    ),
  ),
  index.map((at) =>
    alteration('a line twice, without the sum', async (folder) => {
      const names = Object.keys((await readManifest(folder)).collections);
      const path = pathIn(folder, pick(names, at));
      await appendFile(path, (await readFile(path, 'utf8')).split('\n', 1)[0]!);
    }),
  ),
  index.map((at) =>
    alteration('two swapped files', async (folder) => {
      const [one, other] = [0, 1].map(async (by) =>
        join(folder, 'files', pick(await recordIds(folder), at + by), 'a.m4a'),
      );
      await swap(await one!, await other!);
    }),
  ),
  index.map((at) =>
    alteration('two swapped parts', async (folder) => {
      const names = Object.keys((await readManifest(folder)).collections).sort();
      await swap(pathIn(folder, pick(names, at)), pathIn(folder, pick(names, at + 1)));
    }),
  ),
  index.map((at) =>
    alteration('a list in another order', (folder) =>
      changeLines(folder, 'files', (lines) => (at % 2 === 0 ? lines.toReversed() : [...lines.slice(1), lines[0]!])),
    ),
  ),
  fc
    .constantFrom('{', '{}', '{"_id":', 'null', '[]', '7')
    .map((line) =>
      alteration(`the line ${line}`, (folder) => changeLines(folder, 'subjects', (lines) => [...lines, line])),
    ),
  fc
    .constantFrom<(manifest: Manifest) => object>(
      (manifest) => ({ ...manifest, collections: { ...manifest.collections, '../records': manifest.files } }),
      (manifest) => ({ ...manifest, collections: { ...manifest.collections, none: manifest.files } }),
      (manifest) => ({ ...manifest, takenAt: 'now' }),
      (manifest) => ({ ...manifest, format: 2 }),
      (manifest) => ({ ...manifest, files: { ...manifest.files, count: manifest.files.count + 1 } }),
      (manifest) => ({ ...manifest, files: { ...manifest.files, sha256: '0'.repeat(64) } }),
    )
    .map((change) => alteration('another manifest', (folder) => changeManifest(folder, change))),
);

async function swap(one: string, other: string): Promise<void> {
  const [first, second] = [await readFile(one), await readFile(other)];
  await writeFile(one, second);
  await writeFile(other, first);
}

/** All files below a folder with their contents, and its folders. */
async function treeOf(folder: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path, entry.isFile() ? await readFile(path, 'latin1') : 'no file'] as const;
  });
  return (await Promise.all(found)).sort(([one], [other]) => (one < other ? -1 : 1));
}

const copyOf = (folder: string, to: string): Promise<void> => cp(folder, to, { recursive: true });

const { root, aService } = useBackupBench();

async function aBackup(name: string): Promise<string> {
  const service = aService();
  await service.accounts.open(KEY, GRANTED);
  for (let count = 0; count < 3; count += 1) await finish(service, await accept(service));
  const folder = join(root(), name);
  await backUp({ folder, ...service, copiesFiles: true, ...silent });
  return folder;
}

it('a restore refuses a hundred altered backups, and writes nothing', async () => {
  const good = await aBackup('good');
  const service = aService();
  // The data folder of a service also has these files.
  await mkdir(join(service.dataDir, 'files'), { recursive: true });
  for (const secret of ['rpc-token', 'link-secret']) await writeFile(join(service.dataDir, secret), secret);
  const [altered, outside] = [join(root(), 'altered'), join(root(), 'outside')];
  const before = await treeOf(service.dataDir);
  const published: unknown[] = [];
  const publish: FileStore['publish'] = (...order) => {
    published.push(order);
    return service.files.publish(...order);
  };
  const refuses = fc.asyncProperty(alterations, async ({ alter }) => {
    await rm(altered, { recursive: true, force: true });
    await rm(outside, { recursive: true, force: true });
    await mkdir(outside);
    await copyOf(good, altered);
    await alter(altered, outside);
    const beside = await treeOf(outside);
    const order = { folder: altered, ...service, files: { ...service.files, publish }, ...silent };
    await expect(restore(order)).rejects.toThrow(Error);
    expect(published).toEqual([]);
    expect(await service.db.listCollections().toArray()).toEqual([]);
    expect(await treeOf(service.dataDir)).toEqual(before);
    expect(await treeOf(outside)).toEqual(beside);
  });
  await fc.assert(refuses, { numRuns: 100, seed: 30, endOnFailure: true });

  // The unaltered backup is accepted.
  await restore({ folder: good, ...service, ...silent });
  expect((await service.files.page()).entries).toHaveLength(3);
});

it('a restore accepts a symbolic link to the folder, but no pipe in it', async () => {
  const good = await aBackup('linked');
  const link = join(root(), 'latest');
  await symlink(good, link);
  const pipe = join(good, 'files', 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const service = aService();
  await expect(restore({ folder: link, ...service, ...silent })).rejects.toThrow('pipe is not a regular file');
  await rm(pipe);
  await restore({ folder: link, ...service, ...silent });
  expect((await service.files.page()).entries).toHaveLength(3);
});

it('a restore does not publish a file that was replaced after it was checked', async () => {
  const folder = await aBackup('replaced');
  const service = aService();
  let calls = 0;
  const replacing: FileStore['page'] = async (after) => {
    // The second call follows the check.
    calls += 1;
    if (calls === 2) {
      for (const [path, contents] of await treeOf(join(folder, 'files'))) {
        if (path.endsWith('.m4a')) await writeFile(path, contents.replace('media', 'MEDIA'));
      }
    }
    return service.files.page(after);
  };
  const files = { ...service.files, page: replacing };
  await expect(restore({ folder, ...service, files, ...silent })).rejects.toThrow('of the copy is damaged');
  expect((await service.files.page()).entries).toEqual([]);
  expect(await service.db.collection('records').countDocuments()).toBe(0);
});

it('a backup refuses a record whose ID or file name leads out of its folder', async () => {
  for (const [id, name] of [
    ['..', 'manifest.json'],
    ['01JD5Z3K6VQ0W8R9T2X4Y6B8CD', '../../x'],
  ] as const) {
    const service = aService();
    const files = [{ name, sizeBytes: 1, sha256: '0'.repeat(64) }];
    await service.db.collection<{ _id: string }>('records').insertOne({ _id: id, status: 'success', files } as never);
    const folder = join(root(), `of-${service.db.databaseName}`);
    const order = { folder, ...service, copiesFiles: true, ...silent };
    await expect(backUp(order)).rejects.toThrow(/is not the id of a record|is not a published file/);
  }
});
