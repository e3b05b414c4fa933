// npm run keys: makes, lists and revokes API keys, changes their credit, and tells the secrets of receivers.
import { parseArgs } from 'node:util';
import { MongoError } from 'mongodb';
import { loadConfigOrExit } from '../../config.ts';
import { createAccountStore } from '../../store/accounts.ts';
import { embeddedUri } from '../../store/embedded-uri.ts';
import { createKeyStore } from '../../store/keys.ts';
import { openMongo } from '../../store/mongo.ts';
import { createKeyCommands, UsageError, USAGE, webhookSecret } from './commands.ts';

/** An amount to take away looks like an option. */
const NEGATIVE = /^-\d/;

const line = process.argv.slice(2);
// Before the settings: who asks how it works may not have any yet.
if (line.includes('--help') || line.includes('-h') || line[0] === 'help') {
  console.log(USAGE);
  process.exit(0);
}

// Before the database: it is not asked.
if (line[0] === 'webhook-secret') {
  try {
    console.log(webhookSecret(loadConfigOrExit(process.env, []).webhookKeys, line[1]));
    process.exit(0);
  } catch (error) {
    fail(error);
    process.exit(1);
  }
}

const { env } = process;
const config = loadConfigOrExit({ ...env, MONGODB_URI: await embeddedUri(env) }, ['MONGODB_URI']);
const mongo = openMongo({ uri: config.MONGODB_URI, database: config.MONGODB_DATABASE, timeoutMs: 5_000 });
const commands = createKeyCommands({ keys: createKeyStore(mongo.db), accounts: createAccountStore(mongo.db) });
try {
  const { values, positionals } = parseArgs({
    args: line.filter((word) => !NEGATIVE.test(word)),
    allowPositionals: true,
    options: { scopes: { type: 'string' }, credit: { type: 'string' } },
  });
  const [command = '', ...args] = [...positionals, ...line.filter((word) => NEGATIVE.test(word))];
  console.log(await commands.run({ command, args, options: values }));
} catch (error) {
  fail(error);
  process.exitCode = 1;
} finally {
  await mongo.close();
}

function fail(error: unknown): void {
  const isUsage = error instanceof UsageError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  if (isUsage && error instanceof Error) console.error(`${error.message}\n\n${USAGE}`);
  // Without the address, which may hold a password.
  else if (error instanceof MongoError) console.error(`MONGODB_URI: the database did not answer: ${error.message}`);
  else console.error(error);
}
