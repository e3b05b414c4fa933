// npm run routes: shows the routes to the platforms, pauses them by hand and resumes them.
import { parseArgs } from 'node:util';
import { loadConfigOrExit } from '../../config.ts';
import { createBreakerStore } from '../../pacing/breaker-store.ts';
import { createRouteCommands, USAGE } from '../../pacing/operator-commands.ts';
import { routesOf } from '../../pacing/route-settings.ts';
import { routeNamesOf } from '../../pacing/routes.ts';
import { runOperatorCommand } from '../../runtime/operator-command.ts';
import { embeddedUri } from '../../store/mongo/embedded-uri.ts';
import { withDatabase } from '../../store/mongo/with-database.ts';

await runOperatorCommand(USAGE, async (line) => {
  const { values, positionals } = parseArgs({
    args: [...line],
    allowPositionals: true,
    options: { minutes: { type: 'string' }, reason: { type: 'string' } },
  });
  const [command = '', ...args] = positionals;
  const { env } = process;
  const config = loadConfigOrExit({ ...env, MONGODB_URI: await embeddedUri(env) }, ['MONGODB_URI']);
  const routes = [...new Set(Object.values(routeNamesOf(routesOf(config))))];
  return withDatabase(config, 5_000, (db) =>
    createRouteCommands(createBreakerStore(db, config.TASK_QUEUE), routes)({ command, args, options: values }),
  );
});
