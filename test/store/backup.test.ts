import { execFile } from 'node:child_process';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { failureFor } from '../../contract/failures.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { speakerNamesOf } from '../../contract/kinds/speaker-names.ts';
import { backUp } from '../../store/backup/backup.ts';
import { documentOf, MANIFEST, pathIn, type Manifest } from '../../store/backup/format.ts';
import { LOST_DELIVERY, restore } from '../../store/backup/restore.ts';
import { accept, finish, GRANTED, KEY, silent, useBackupBench } from '../helpers/backup-bench.ts';
import { ROOT } from '../helpers/markdown.ts';
import { someReservations } from '../helpers/many-reservations.ts';
import { anAudioJob } from '../helpers/jobs.ts';

const bench = useBackupBench();
const { aService } = bench;

it('a restore of a copy made under load has all earlier answers, and fails the running jobs with the reason', async () => {
  const service = aService();
  await service.accounts.open(KEY, GRANTED);
  const answered: DownloadRecord[] = [];
  for (let count = 0; count < 6; count += 1) answered.push(await finish(service, await accept(service)));
  const running = [await accept(service), await accept(service)];
  const folder = join(bench.root(), 'copy');
  let isOver = false;
  const load = [0, 1].map(async () => {
    while (!isOver) await finish(service, await accept(service));
  });
  const manifest = await backUp({ folder, ...service, copiesFiles: true, ...silent });
  isOver = true;
  await Promise.all(load);
  expect(manifest.collections['records']?.count).toBeGreaterThanOrEqual(answered.length + running.length);

  const other = aService();
  await restore({ folder, ...other, ...silent });
  for (const record of answered) {
    expect(await other.records.get(record.id)).toEqual(record);
    expect(await other.records.successOf(record.subjectId)).toEqual(record);
    expect(await other.keyDownloads.has(KEY, record.id)).toBe(true);
    expect(await other.contents.facts(record.id)).toEqual({ title: `Facts of ${record.id}` });
    expect(await speakerNamesOf(other.contents, record.id)).toEqual({ 'Speaker 1': `Anna ${record.id}` });
    expect(await other.deliveries.get(`webhook/${record.id}/1`)).toMatchObject({ recordId: record.id });
  }
  for (const { recordId } of running) {
    expect(await other.records.get(recordId)).toMatchObject({ status: 'failed', failure: failureFor('lostInRestore') });
  }
  const all = await other.records.list({ limit: 200 });
  expect(all.filter(({ status }) => status === 'pending')).toEqual([]);
  let charged = 0;
  for (const record of all) {
    if (record.status !== 'success') continue;
    charged += record.charge;
    const stored = await other.files.open({ recordId: record.id, name: 'a.m4a' });
    expect(stored?.sizeBytes).toBe(record.files[0]?.sizeBytes);
  }
  expect(await other.accounts.get(KEY)).toMatchObject({ spent: charged, available: GRANTED - charged });
  expect(await other.accounts.reservations(KEY)).toEqual([]);
  const entries = await other.accounts.ledger(KEY, { limit: 1_000 });
  expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(charged);

  await expect(restore({ folder, ...other, ...silent })).rejects.toThrow('is not empty');
  await expect(backUp({ folder, ...service, copiesFiles: true, ...silent })).rejects.toThrow('already exists');
});

it('a restore releases the reservations of many jobs, and captures a charge that was missing', async () => {
  const service = aService();
  await service.accounts.open(KEY, GRANTED);
  // The job ended days ago, and its process died before it captured the charge.
  const ended = await accept(service);
  const facts = { status: 'success', files: [], charge: ended.price, finishedAt: '2026-11-21T09:31:00.000000Z' };
  await service.db.collection<{ _id: string }>('records').updateOne({ _id: ended.recordId }, { $set: facts });
  for (const count of [48, 10]) expect(await service.accounts.reserve(KEY, someReservations(count))).toBe(true);
  expect(await service.db.collection('overflow_chunks').countDocuments()).toBe(1);
  const folder = join(bench.root(), 'many');
  await backUp({ folder, ...service, copiesFiles: false, ...silent });
  // The copy has the reservations of chunks in the account itself.
  const [account] = (await readFile(pathIn(folder, 'accounts'), 'utf8'))
    .split('\n')
    .map((line) => line && documentOf(line));
  expect(account).toMatchObject({ _id: KEY });
  expect(
    Object.keys(account as object)
      .sort()
      .join(),
  ).toBe('_id,available,granted,holds,isUnlimited,spent');
  expect(Object.keys((account as { holds: object }).holds)).toHaveLength(59);

  const other = aService();
  await restore({ folder, ...other, ...silent });
  const { price: spent } = ended;
  expect(await other.accounts.get(KEY)).toMatchObject({ spent, available: GRANTED - spent });
  expect(await other.accounts.reservations(KEY)).toEqual([]);
});

it('a restore leaves out charges of jobs that began during the copy, and keeps those of removed records', async () => {
  const service = aService();
  await service.accounts.open(KEY, GRANTED);
  const ledger = service.db.collection<{ _id: string }>('ledger');
  const entry = { keyId: KEY, type: 'audio', mediaId: 'v', amount: 5 };
  for (const [recordId, bookedAt] of [
    ['removed', '2026-11-21T09:31:00.000000Z'],
    ['later', new Date(Date.now() + 3_600_000).toISOString()],
  ]) {
    await ledger.insertOne({ _id: `${KEY}/${recordId!}`, ...entry, recordId, bookedAt } as { _id: string });
  }
  const folder = join(bench.root(), 'later');
  await backUp({ folder, ...service, copiesFiles: false, ...silent });
  const other = aService();
  await restore({ folder, ...other, ...silent });
  expect(await other.accounts.get(KEY)).toMatchObject({ spent: 5, available: GRANTED - 5 });
  expect((await other.accounts.ledger(KEY, { limit: 10 })).map(({ recordId }) => recordId)).toEqual(['removed']);
});

it('a backup leaves out a damaged file, prints its name, and exits with 1', async () => {
  const service = aService();
  const [good, bad] = [await finish(service, { ...anAudioJob() }), await finish(service, { ...anAudioJob() })];
  await writeFile(join(service.dataDir, 'files', bad.id, 'a.m4a'), 'other bytes');
  const folder = join(bench.root(), 'without-one');
  const env = { ...process.env, MONGODB_URI: inject('mongodbUri'), MONGODB_DATABASE: service.db.databaseName };
  const run = (...line: readonly string[]) =>
    promisify(execFile)(process.execPath, ['operator/backup/main.ts', ...line], {
      ...{ cwd: ROOT, env: { ...env, DATA_DIR: service.dataDir, FILES_STORE: 'disk' } },
    });
  await expect(run('backup', folder)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`damaged and left out: the file ${bad.id}/a.m4a\n`) as string,
    stderr: 'the copy is complete except for damaged files: 1\n',
  });
  expect(JSON.parse(await readFile(join(folder, MANIFEST), 'utf8'))).toMatchObject({
    ...{ files: { count: 1, areCopied: true }, damaged: [{ recordId: bad.id, name: 'a.m4a' }] },
  });
  expect(await readdir(join(folder, 'files', bad.id))).toEqual([]);

  const other = aService();
  const printed: string[] = [];
  await restore({ folder, ...other, print: (line) => printed.push(line) });
  expect(printed).toContain('files that were damaged, and are not in the copy: 1');
  const fileOf = ({ id }: DownloadRecord) => other.files.open({ recordId: id, name: 'a.m4a' });
  expect(await fileOf(good)).toBeDefined();
  expect([await fileOf(bad), await other.records.get(bad.id)]).toEqual([undefined, bad]);
});

it('a restore abandons pending webhooks with the reason, and leaves others unchanged', async () => {
  const service = aService();
  const records = [await finish(service, { ...anAudioJob() }), await finish(service, { ...anAudioJob() })];
  const [pending, delivered] = records.map(({ id }) => `webhook/${id}/1`) as [string, string];
  const attempt = { number: 1, startedAt: records[0]!.createdAt, durationMs: 5, statusCode: 503 };
  await service.deliveries.recordAttempt(pending, attempt, { state: 'pending', firstAttempt: 1 });
  await service.deliveries.recordAttempt(delivered, attempt, { state: 'delivered', firstAttempt: 1 });
  const folder = join(bench.root(), 'webhooks');
  await backUp({ folder, ...service, copiesFiles: false, ...silent });
  const [other, printed] = [aService(), [] as string[]];
  await restore({ folder, ...other, print: (line) => printed.push(line) });
  expect(printed).toContain('webhooks that were under way and are abandoned: 1');
  expect(await other.deliveries.get(pending)).toMatchObject({
    ...{ state: 'abandoned', attempts: [attempt, { number: 2, error: LOST_DELIVERY }] },
  });
  expect(await other.deliveries.get(delivered)).toMatchObject({ state: 'delivered', attempts: [attempt] });
});

it('a restore refuses a damaged copy before it writes anything', async () => {
  const service = aService();
  await finish(service, { ...anAudioJob() });
  const folder = join(bench.root(), 'damaged');
  await backUp({ folder, ...service, copiesFiles: false, ...silent });
  const manifest = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as Manifest;
  expect(manifest.collections).toMatchObject({ records: { count: 1 }, contents: { count: 2 } });
  expect(manifest.files).toMatchObject({ count: 1, areCopied: false });
  await appendFile(pathIn(folder, 'contents'), '{}\n');
  const other = aService();
  await expect(restore({ folder, ...other, ...silent })).rejects.toThrow('contents.jsonl is damaged');
  expect(await other.db.listCollections().toArray()).toEqual([]);
});
