// npm run backup -- FOLDER copies all data of a service; npm run restore -- FOLDER copies them into an empty service.
import { loadConfigOrExit } from '../../config.ts';
import { runOperatorCommand, UsageError } from '../../runtime/operator-command.ts';
import { createFileStore, describeLocation, WORKER_BUCKET_LIMITS } from '../../store/files/create-file-store.ts';
import { embeddedUri } from '../../store/mongo/embedded-uri.ts';
import { withDatabase } from '../../store/mongo/mongo-client.ts';
import { backUp } from '../../store/backup/backup.ts';
import { restore } from '../../store/backup/restore.ts';

const USAGE = `usage: npm run backup -- FOLDER
       npm run restore -- FOLDER

backup copies the database into a new folder while the service runs, and the files with FILES_STORE=disk (files of a bucket
are only listed). It leaves out damaged files, prints their names, and exits with 1. restore copies such a folder into an
empty database and file store that no service uses.`;

await runOperatorCommand(USAGE, async ([command, folder, ...rest], say) => {
  const isKnown = command === 'backup' || command === 'restore';
  if (!isKnown || folder === undefined || folder.startsWith('-') || rest.length > 0) {
    throw new UsageError('The command needs one folder.');
  }
  const { env } = process;
  const config = loadConfigOrExit({ ...env, MONGODB_URI: await embeddedUri(env) }, ['MONGODB_URI']);
  const files = await createFileStore(config.files, WORKER_BUCKET_LIMITS);
  await files.check();
  await withDatabase(config, 60_000, async (db) => {
    const options = { folder, db, files, print: say };
    if (command === 'restore') {
      return restore({ ...options, workDir: config.workDir, filesLocation: describeLocation(config.files) });
    }
    const { damaged = [] } = await backUp({ ...options, copiesFiles: config.files.kind === 'disk' });
    // The copy is usable, but the exit code must report what it lacks.
    if (damaged.length > 0) throw new Error(`the copy is complete except for damaged files: ${String(damaged.length)}`);
  });
  return undefined;
});
