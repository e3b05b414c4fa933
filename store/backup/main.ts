// npm run backup -- FOLDER and npm run restore -- FOLDER: copies all data of a service, and puts the copy into an empty one.
import { loadConfigOrExit } from '../../config.ts';
import { runOperatorCommand, UsageError } from '../../runtime/operator-command.ts';
import { createFileStore, nameOfPlace, WORKER_BUCKET_LIMITS } from '../files/create-file-store.ts';
import { embeddedUri } from '../mongo/embedded-uri.ts';
import { withDatabase } from '../mongo/with-database.ts';
import { backUp } from './backup.ts';
import { restore } from './restore.ts';

const USAGE = `usage: npm run backup -- FOLDER
       npm run restore -- FOLDER

backup copies the database, and the files where FILES_STORE=disk (of a bucket it lists them), into a new folder, while the
service runs; damaged files are left out and named, and it ends with 1. restore puts such a folder into an empty database and file store, while no service runs on them.`;

await runOperatorCommand(USAGE, async ([command, folder, ...rest]) => {
  const isKnown = command === 'backup' || command === 'restore';
  if (!isKnown || folder === undefined || folder.startsWith('-') || rest.length > 0) {
    throw new UsageError('The command wants one folder.');
  }
  const { env } = process;
  const config = loadConfigOrExit({ ...env, MONGODB_URI: await embeddedUri(env) }, ['MONGODB_URI']);
  const files = createFileStore(config.files, WORKER_BUCKET_LIMITS);
  await files.check();
  await withDatabase(config, 60_000, async (db) => {
    const order = { folder, db, files, tell: (line: string) => console.log(line) };
    if (command === 'restore') {
      return restore({ ...order, workDir: config.workDir, filesPlace: nameOfPlace(config.files) });
    }
    const { damaged = [] } = await backUp({ ...order, copiesFiles: config.files.kind === 'disk' });
    // The copy is there and good, but whoever waits for the exit code must hear of it.
    if (damaged.length > 0)
      throw new Error(`the copy is made; damaged files that are not in it: ${String(damaged.length)}`);
  });
  return undefined;
});
