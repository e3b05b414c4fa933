// npm run routes: shows the routes to the platforms, pauses them by hand and opens them again.
import { parseArgs } from 'node:util';
import { loadConfigOrExit } from '../../config.ts';
import { runOperatorCommand } from '../../runtime/operator-command.ts';
import { upstreamUses } from '../../runtime/pacing.ts';
import { embeddedUri } from '../../store/embedded-uri.ts';
import { createPacingStore } from '../../store/pacing.ts';
import { withDatabase } from '../../store/with-database.ts';
import { upstreamLimitsOf } from '../upstream-limits.ts';
import { createRouteCommands, USAGE } from './commands.ts';

await runOperatorCommand(USAGE, async (line) => {
  const { values, positionals } = parseArgs({
    args: [...line],
    allowPositionals: true,
    options: { minutes: { type: 'string' }, reason: { type: 'string' } },
  });
  const [command = '', ...args] = positionals;
  const { env } = process;
  const config = loadConfigOrExit({ ...env, MONGODB_URI: await embeddedUri(env) }, ['MONGODB_URI']);
  const limits = upstreamLimitsOf(config);
  return withDatabase(config, 5_000, (db) => {
    const commands = createRouteCommands({
      store: createPacingStore(db),
      taskQueue: config.TASK_QUEUE,
      routes: [...new Set(upstreamUses.map((use) => limits[use].route))],
      now: () => Date.now(),
    });
    return commands.run({ command, args, options: values });
  });
});
