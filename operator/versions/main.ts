// npm run versions: selects the release of workers with which new jobs begin, and moves open jobs to it.
import { isGrpcServiceError } from '@temporalio/client';
import { loadConfigOrExit } from '../../config.ts';
import { runOperatorCommand } from '../../runtime/operator-command.ts';
import { openTemporal } from '../../runtime/temporal/temporal-client.ts';
import { temporalSettingsOf } from '../../store/mongo/reach-engines.ts';
import { createVersionCommands, USAGE } from './version-commands.ts';

await runOperatorCommand(USAGE, async (line) => {
  const config = loadConfigOrExit(process.env, ['TEMPORAL_ADDRESS', 'WORKER_DEPLOYMENT']);
  const { client, close } = await openTemporal(await temporalSettingsOf(config));
  try {
    return await createVersionCommands(client, config.WORKER_DEPLOYMENT).run(line);
  } catch (cause) {
    if (!isGrpcServiceError(cause)) throw cause;
    // The message of Temporal names the obstacle, such as a queue that the release does not poll.
    throw new Error(`Temporal refused: ${cause.details}`, { cause });
  } finally {
    await close();
  }
});
