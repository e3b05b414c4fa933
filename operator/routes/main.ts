// npm run routes: lists, pauses and resumes the routes to platforms.
import { parseArgs } from 'node:util';
import { loadConfigOrExit } from '../../config.ts';
import { createBreakerStore } from '../../pacing/breaker-store.ts';
import { createRouteCommands, USAGE } from './route-commands.ts';
import { routesOf } from '../../pacing/routes.ts';
import { runOperatorCommand } from '../../runtime/operator-command.ts';
import { embeddedUri } from '../../store/mongo/embedded-uri.ts';
import { withDatabase } from '../../store/mongo/mongo-client.ts';

await runOperatorCommand(USAGE, async (line) => {
  const { values: options, positionals } = parseArgs({
    args: [...line],
    allowPositionals: true,
    options: { minutes: { type: 'string' }, reason: { type: 'string' } },
  });
  const [command = '', ...args] = positionals;
  const config = loadConfigOrExit({ ...process.env, MONGODB_URI: await embeddedUri(process.env) }, ['MONGODB_URI']);
  return withDatabase(config, 5_000, (db) =>
    createRouteCommands(createBreakerStore(db, config.TASK_QUEUE), routesOf(config))({ command, args, options }),
  );
});
