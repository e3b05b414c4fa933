// npm run migrate: applies the migrations that a worker otherwise applies when it has started.
import { loadConfigOrExit } from '../../config.ts';
import { embeddedUri } from '../embedded-uri.ts';
import { migrate } from '../migrations.ts';
import { openMongo } from '../mongo.ts';

const { env } = process;
const config = loadConfigOrExit({ ...env, MONGODB_URI: await embeddedUri(env) }, ['MONGODB_URI']);
const mongo = openMongo({ uri: config.MONGODB_URI, database: config.MONGODB_DATABASE, timeoutMs: 600_000 });
try {
  await migrate(mongo.db, ({ number, what }) => console.log(`${String(number)}: ${what}`));
  console.log('the database is up to date');
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await mongo.close();
}
