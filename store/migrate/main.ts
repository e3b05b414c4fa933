// npm run migrate: applies the migrations that a worker otherwise applies when it has started.
import { loadConfigOrExit } from '../../config.ts';
import { runOperatorCommand } from '../../runtime/operator-command.ts';
import { embeddedUri } from '../embedded-uri.ts';
import { migrate } from '../migrations.ts';
import { withDatabase } from '../with-database.ts';

await runOperatorCommand('usage: npm run migrate', async () => {
  const { env } = process;
  const config = loadConfigOrExit({ ...env, MONGODB_URI: await embeddedUri(env) }, ['MONGODB_URI']);
  await withDatabase(config, 600_000, (db) =>
    migrate(db, ({ number, what }) => console.log(`${String(number)}: ${what}`)),
  );
  return 'the database is up to date';
});
