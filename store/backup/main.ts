// npm run backup -- FOLDER and npm run restore -- FOLDER: copies all data of a service, and puts the copy into an empty one.
import { loadConfigOrExit } from '../../config.ts';
import { createFileStore, WORKER_BUCKET_LIMITS } from '../create-file-store.ts';
import { embeddedUri } from '../embedded-uri.ts';
import { openMongo } from '../mongo.ts';
import { backUp } from './backup.ts';
import { restore } from './restore.ts';

const USAGE = `usage: npm run backup -- FOLDER
       npm run restore -- FOLDER

backup copies the database, and the files where FILES_STORE=disk (of a bucket it lists them), into a new folder, while the
service runs. restore puts such a folder into an empty database and file store, while no service runs on them.`;

const [command, folder, ...rest] = process.argv.slice(2);
if (
  folder === undefined ||
  folder.startsWith('-') ||
  rest.length > 0 ||
  (command !== 'backup' && command !== 'restore')
) {
  console.error(USAGE);
  process.exit(2);
}
const { env } = process;
const config = loadConfigOrExit({ ...env, MONGODB_URI: await embeddedUri(env) }, ['MONGODB_URI']);
const mongo = openMongo({ uri: config.MONGODB_URI, database: config.MONGODB_DATABASE, timeoutMs: 60_000 });
const files = createFileStore(config.files, WORKER_BUCKET_LIMITS);
const order = { folder, db: mongo.db, files, tell: (line: string) => console.log(line) };
try {
  await files.check();
  if (command === 'backup') await backUp({ ...order, copiesFiles: config.files.kind === 'disk' });
  else await restore({ ...order, workDir: config.workDir });
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await mongo.close();
}
