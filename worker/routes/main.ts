// npm run routes: shows the routes to the platforms, pauses them by hand and opens them again.
import { parseArgs } from 'node:util';
import { MongoError } from 'mongodb';
import { loadConfigOrExit } from '../../config.ts';
import { upstreamUses } from '../../runtime/pacing.ts';
import { embeddedUri } from '../../store/embedded-uri.ts';
import { openMongo } from '../../store/mongo.ts';
import { createPacingStore } from '../../store/pacing.ts';
import { upstreamLimitsOf } from '../upstream-limits.ts';
import { createRouteCommands, UsageError, USAGE } from './commands.ts';

const line = process.argv.slice(2);
// Before the settings: who asks how it works may not have any yet.
if (line.includes('--help') || line.includes('-h') || line[0] === 'help') {
  console.log(USAGE);
  process.exit(0);
}

const { env } = process;
const config = loadConfigOrExit({ ...env, MONGODB_URI: await embeddedUri(env) }, ['MONGODB_URI']);
const limits = upstreamLimitsOf(config);
const mongo = openMongo({ uri: config.MONGODB_URI, database: config.MONGODB_DATABASE, timeoutMs: 5_000 });
const commands = createRouteCommands({
  store: createPacingStore(mongo.db),
  taskQueue: config.TASK_QUEUE,
  routes: [...new Set(upstreamUses.map((use) => limits[use].route))],
  now: () => Date.now(),
});
try {
  const { values, positionals } = parseArgs({
    args: line,
    allowPositionals: true,
    options: { minutes: { type: 'string' }, reason: { type: 'string' } },
  });
  const [command = '', ...args] = positionals;
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
