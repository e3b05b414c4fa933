// npm run versions: tells Temporal with which release of workers new jobs begin, and which jobs leave theirs.
import { isGrpcServiceError } from '@temporalio/client';
import { loadConfigOrExit } from '../../config.ts';
import { openTemporal } from '../../runtime/temporal/client.ts';
import { temporalSettingsOf } from '../../store/reach-engines.ts';
import { createVersionCommands, USAGE, UsageError } from './commands.ts';

const line = process.argv.slice(2);
// Before the settings: who asks how it works may not have any yet.
if (line.some((word) => ['--help', '-h', 'help'].includes(word))) {
  console.log(USAGE);
  process.exit(0);
}

const config = loadConfigOrExit(process.env, ['TEMPORAL_ADDRESS', 'WORKER_DEPLOYMENT']);
try {
  const { client, close } = await openTemporal(await temporalSettingsOf(config));
  try {
    console.log(await createVersionCommands(client, config.WORKER_DEPLOYMENT).run(line));
  } finally {
    await close();
  }
} catch (error) {
  process.exitCode = 1;
  if (error instanceof UsageError) console.error(`${error.message}\n\n${USAGE}`);
  // Temporal says what hinders it, such as a queue that the release does not poll.
  else if (isGrpcServiceError(error)) console.error(`Temporal refuses: ${error.details}`);
  else console.error(error);
}
