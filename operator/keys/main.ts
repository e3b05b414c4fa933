// npm run keys: creates, lists and revokes API keys, changes their credit, and prints the webhook secrets of receivers.
import { parseArgs } from 'node:util';
import { loadConfigOrExit } from '../../config.ts';
import { runOperatorCommand } from '../../runtime/operator-command.ts';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { embeddedUri } from '../../store/mongo/embedded-uri.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { withDatabase } from '../../store/mongo/mongo-client.ts';
import { createKeyCommands, USAGE, webhookSecret } from './key-commands.ts';

/** A negative amount looks like an option to the parser. */
const NEGATIVE = /^-\d/;

await runOperatorCommand(USAGE, async (line) => {
  const { env } = process;
  // This command needs no database.
  if (line[0] === 'webhook-secret') return webhookSecret(loadConfigOrExit(env, []).WEBHOOK_SECRETS, line[1]);
  const { values, positionals } = parseArgs({
    args: line.filter((word) => !NEGATIVE.test(word)),
    allowPositionals: true,
    options: { scopes: { type: 'string' }, credit: { type: 'string' } },
  });
  const [command = '', ...args] = [...positionals, ...line.filter((word) => NEGATIVE.test(word))];
  const config = loadConfigOrExit({ ...env, MONGODB_URI: await embeddedUri(env) }, ['MONGODB_URI']);
  return withDatabase(config, 5_000, (db) => {
    const commands = createKeyCommands({ keys: createKeyStore(db), accounts: createAccountStore(db) });
    return commands.run({ command, args, options: values });
  });
});
