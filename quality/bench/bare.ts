import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./bare-server.ts', import.meta.url));

/** The server of bare-server.ts in a process of its own, as the api has one. */
export async function startBareServer(mongodbUri: string, database: string) {
  const child = spawn(process.execPath, [PROGRAM, mongodbUri, database], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
  if (line === undefined) throw new Error('the bare server did not come up');
  return {
    /** Without a slash at the end. */
    url: String(line[0]).replace(/\/$/, ''),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
