import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RESTORE_MARKS } from '../../store/backup/unfinished-restore.ts';
import {
  aBackup,
  empty,
  environmentOf,
  expectWhole,
  runMain,
  useBackupBench,
  type BackupService,
} from '../helpers/backup-bench.ts';
import { ROOT } from '../helpers/markdown.ts';

const MOMENTS = 10;
const { root, aService } = useBackupBench();

/** Starts `npm run restore` in a process group of its own. */
function startRestore(folder: string, service: BackupService) {
  const child = spawn('npm', ['run', '--silent', 'restore', '--', folder], {
    ...{ cwd: ROOT, env: environmentOf(service), detached: true, stdio: 'ignore' },
  });
  return { child, exit: once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]> };
}

const isMarked = async ({ db }: BackupService): Promise<boolean> =>
  (await db.collection(RESTORE_MARKS).countDocuments()) > 0;

/** Resolves at the first write of a restore. */
async function firstWrite({ child }: ReturnType<typeof startRestore>, service: BackupService): Promise<void> {
  while (!(await isMarked(service))) {
    expect(child.exitCode).toBe(null);
    await delay(5);
  }
}

/** Kills a restore after a part of its duration. @returns false when it had finished */
async function killRestore(folder: string, service: BackupService, afterMs: number): Promise<boolean> {
  const restore = startRestore(folder, service);
  await firstWrite(restore, service);
  await delay(afterMs);
  if (restore.child.exitCode !== null) return false;
  process.kill(-restore.child.pid!, 'SIGKILL');
  await restore.exit;
  // The database may still run an operation that it had received.
  await delay(100);
  return isMarked(service);
}

it('a service refuses to start after npm run restore was killed at any moment, and a new restore is complete', async () => {
  const backup = await aBackup(aService(), join(root(), 'killed'), { ended: 100, running: 30 });
  const service = aService();
  const whole = startRestore(backup.folder, service);
  await firstWrite(whole, service);
  const startedMs = performance.now();
  expect(await whole.exit).toEqual([0, null]);
  const durationMs = performance.now() - startedMs;
  await expectWhole(service, backup);

  const instruction = `empty the database ${service.db.databaseName} and ${service.filesLocation}, and restore again`;
  const refusal = { code: 1, output: expect.stringContaining(instruction) as string };
  for (let moment = 0; moment < MOMENTS; moment += 1) {
    let afterMs = ((moment + 0.5) / MOMENTS) * durationMs;
    await empty(service);
    while (!(await killRestore(backup.folder, service, afterMs))) {
      // This restore was faster than the first one.
      await empty(service);
      afterMs *= 0.9;
    }
    const starts = ['api/main.ts', 'worker/main.ts'].map((main) => runMain(main, service));
    expect(await Promise.all(starts)).toEqual([refusal, refusal]);

    await empty(service);
    expect(await startRestore(backup.folder, service).exit).toEqual([0, null]);
    await expectWhole(service, backup);
    expect(await isMarked(service)).toBe(false);
  }
}, 900_000);
