import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backUp } from '../../store/backup/backup.ts';
import { restore } from '../../store/backup/restore.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { refuseUnfinishedRestore, RESTORE_MARKS } from '../../store/backup/unfinished-restore.ts';
import {
  aBackup,
  empty,
  expectWhole,
  finish,
  runMain,
  silent,
  useBackupBench,
  type BackupService,
} from '../helpers/backup-bench.ts';
import { dyingDatabase, type LastOperation } from '../helpers/dying-database.ts';
import { anAudioJob } from '../helpers/jobs.ts';
import { optional } from '../../runtime/optional.ts';

const MOMENTS = 10;
const { root, aService } = useBackupBench();

/**
 * Restores until an operation after the mark, or to the end.
 *
 * @param order.last the number of that operation
 * @param order.how whether it still takes effect
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

it('a service refuses to start after a restore died at any operation, and a new restore is complete', async () => {
  const backup = await aBackup(aService(), join(root(), 'cut-off'));
  const service = aService();
  const operations = await restoreUntil(backup.folder, service, { last: Infinity });
  expect(operations).toBeGreaterThan(3 * MOMENTS);
  await expectWhole(service, backup);
  await expect(refuseUnfinishedRestore(service.db)).resolves.toBeUndefined();
  for (let moment = 0; moment < MOMENTS; moment += 1) {
    await empty(service);
    // The last operation is the removal of the mark, which must not take effect.
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
  const copying = runMain('operator/backup/main.ts', service, ['backup', join(root(), 'of-a-part')]);
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

it('the refusal after a restore that only lists files says to leave them where they are', async () => {
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
