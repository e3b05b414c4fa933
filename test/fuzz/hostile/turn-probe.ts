import { appendFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { watchEventLoop } from '../../helpers/event-loop.ts';

// Loaded into api and worker by `NODE_OPTIONS=--import`: writes the longest turn of each second to the file that
// NODE_TURNS_FILE names, as a line `{ name, atMs, ms }`.
const file = process.env['NODE_TURNS_FILE'];
if (isMainThread && file !== undefined) {
  const name = basename(dirname(process.argv[1] ?? ''));
  let stop = watchEventLoop();
  setInterval(() => {
    const ms = stop();
    stop = watchEventLoop();
    appendFileSync(file, `${JSON.stringify({ name, atMs: Date.now(), ms })}\n`);
  }, 1_000).unref();
}
