import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import { migrate } from '../store/migrations.ts';

/** Brings the database up to date. Nobody waits for it: without indexes listings are slow, and nothing else. */
export function startMigrating(db: Db, log: Logger): void {
  void migrate(db, ({ number, what }) => log.info({ migration: number }, what)).catch((error: unknown) =>
    log.warn(
      { err: error },
      'the database is not up to date: the next worker that starts, or npm run migrate, tries again',
    ),
  );
}
