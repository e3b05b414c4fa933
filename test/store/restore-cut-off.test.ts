import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failureFor } from '../../contract/failures.ts';
import type { JobInput } from '../../contract/job-input.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { backUp } from '../../store/backup/backup.ts';
import { restore } from '../../store/backup/restore.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { refuseUnfinishedRestore, RESTORE_MARKS } from '../../store/backup/unfinished-restore.ts';
import {
  accept,
  empty,
  finish,
  GRANTED,
  KEY,
  runMain,
  silent,
  useBackupBench,
  type BackupService,
} from '../helpers/backup-bench.ts';
import { dyingDatabase, type LastOperation } from '../helpers/dying-database.ts';
import { anAudioJob } from '../helpers/workflow-run.ts';
import { optional } from '../../runtime/optional.ts';

const MOMENTS = 10;
const { root, aService } = useBackupBench();

/** A backup with jobs that have ended, one that runs, and one that runs and has had the provider start what it bills. */
async function aBackup(name: string) {
  const service = aService();
  await service.accounts.open(KEY, GRANTED);
  const ended: DownloadRecord[] = [];
  for (let count = 0; count < 3; count += 1) ended.push(await finish(service, await accept(service)));
  const running = [await accept(service), await accept(service)];
  await service.records.recordProviderCall(running[1]!.recordId, 'posts');
  const folder = join(root(), name);
  await backUp({ folder, ...service, copiesFiles: true, ...silent });
  return { folder, ended, running };
}

async function expectWhole(
  { records, files, accounts }: BackupService,
  { ended, running }: { readonly ended: readonly DownloadRecord[]; readonly running: readonly JobInput[] },
): Promise<void> {
  let spent = 0;
  for (const record of ended) {
    expect(await records.get(record.id)).toEqual(record);
    expect(await files.open({ recordId: record.id, name: 'a.m4a' })).toBeDefined();
    spent += record.status === 'success' ? record.charge : 0;
  }
  for (const { recordId } of running) {
    expect(await records.get(recordId)).toMatchObject({ status: 'failed', failure: failureFor('lostInRestore') });
  }
  expect(await accounts.get(KEY)).toMatchObject({ spent, available: GRANTED - spent });
  expect(await accounts.reservations(KEY)).toEqual([]);
}

/**
 * Restores until the operation of that number after the mark, or to the end.
 *
 * @param how whether the last operation still takes place
 * @returns the number of operations
 */
async function restoreUntil(
  folder: string,
  service: BackupService,
  { last, how = last % 2 === 0 ? 'made' : 'not made' }: { readonly last: number; readonly how?: LastOperation },
): Promise<number> {
  let count = 0;
  const diesNow = async (): Promise<LastOperation | undefined> => {
    if (count === 0 && (await service.db.collection(RESTORE_MARKS).countDocuments()) === 0) return undefined;
    count += 1;
    if (count !== last) return undefined;
    return how;
  };
  const publish: FileStore['publish'] = async (...order) => {
    if ((await diesNow()) !== undefined) throw new Error('the process has died');
    return service.files.publish(...order);
  };
  const files: FileStore = { ...service.files, publish };
  await restore({ folder, ...service, db: dyingDatabase(service.db, diesNow), files, ...silent });
  return count;
}

it('a restore that is cut off at any moment leaves a mark, and is whole when it is made again after emptying', async () => {
  const backup = await aBackup('cut-off');
  const service = aService();
  const operations = await restoreUntil(backup.folder, service, { last: Infinity });
  expect(operations).toBeGreaterThan(3 * MOMENTS);
  await expectWhole(service, backup);
  await expect(refuseUnfinishedRestore(service.db)).resolves.toBeUndefined();
  for (let moment = 0; moment < MOMENTS; moment += 1) {
    await empty(service);
    // The last one is the removal of the mark, which does not take place.
    const last = 1 + Math.floor((moment * (operations - 1)) / (MOMENTS - 1));
    const how = moment === MOMENTS - 1 ? 'not made' : undefined;
    await expect(restoreUntil(backup.folder, service, { last, ...optional('how', how) })).rejects.toThrow(
      'the process has died',
    );
    const { databaseName } = service.db;
    const instruction = `empty the database ${databaseName} and ${service.filesLocation}, and restore again`;
    await expect(refuseUnfinishedRestore(service.db)).rejects.toThrow(instruction);
    await expect(restore({ folder: backup.folder, ...service, ...silent })).rejects.toThrow(instruction);
  }
  const refused = expect.stringContaining(`empty the database ${service.db.databaseName} and `) as string;
  const starts = ['api/main.ts', 'worker/main.ts'].map((main) => runMain(main, service));
  const copying = runMain('store/backup/main.ts', service, ['backup', join(root(), 'of-a-part')]);
  for (const run of [...starts, copying]) expect(await run).toEqual({ code: 1, output: refused });

  await service.db.dropDatabase();
  await expect(restore({ folder: backup.folder, ...service, ...silent })).rejects.toThrow(
    `${service.filesLocation} is not empty; nothing was restored`,
  );
  await empty(service);
  await restore({ folder: backup.folder, ...service, ...silent });
  await expectWhole(service, backup);
  await expect(refuseUnfinishedRestore(service.db)).resolves.toBeUndefined();
});

it('a restore of a backup that only lists files says to leave them where they are', async () => {
  const source = aService();
  await finish(source, { ...anAudioJob() });
  const folder = join(root(), 'listed');
  await backUp({ folder, ...source, copiesFiles: false, ...silent });
  const service = aService();
  await expect(restoreUntil(folder, service, { last: 2 })).rejects.toThrow('the process has died');
  await expect(refuseUnfinishedRestore(service.db)).rejects.toThrow(
    `empty the database ${service.db.databaseName}, leave the files where they are, and restore again`,
  );
});
