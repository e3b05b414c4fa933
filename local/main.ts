// npm start: runs the whole service on this machine, including its engines.
import { releaseMemoryAfterStart } from './release-memory.ts';
import { withoutPassword } from './engines/strategies.ts';
import { runUntilSignal } from './run-until-signal.ts';
import { startStack } from './stack.ts';

releaseMemoryAfterStart();
await runUntilSignal(async () => {
  const stack = await startStack({
    env: process.env,
    dataDir: process.env['DATA_DIR'] || './data',
    services: ['api', 'worker'],
    ports: 'preferred',
    log: (line) => console.error(line),
    output: 'inherit',
  });
  console.log(`In a browser ${stack.restUrl}/console`);
  console.log(`REST         ${stack.restUrl} (its documentation: ${stack.restUrl}/docs)`);
  console.log(`tRPC         ${stack.rpcUrl} (its token: ${stack.rpcTokenIn})`);
  console.log(
    `Temporal     ${stack.temporalAddress}${stack.temporalUiUrl === undefined ? '' : `, Web UI ${stack.temporalUiUrl}`}`,
  );
  console.log(`MongoDB      ${withoutPassword(stack.mongodbUri)}`);
  console.log(
    `Processes    ${stack
      .processes()
      .map(({ name, pid }) => `${name} ${String(pid)}`)
      .join(', ')}`,
  );
  console.log('Ctrl-C stops all of them.');
  return stack;
});
