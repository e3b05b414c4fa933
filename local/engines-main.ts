// npm run engines: runs only the engines, for an api and a worker that are started separately.
import { openStandardOutput } from '../runtime/standard-output.ts';
import { runUntilSignal } from './run-until-signal.ts';
import { startStack } from './stack.ts';

const PRINTED = ['TEMPORAL_ADDRESS', 'TEMPORAL_UI_URL', 'MONGODB_URI', 'YTDLP_PATH', 'FFMPEG_PATH', 'FFPROBE_PATH'];

const { print } = openStandardOutput();
await runUntilSignal(async () => {
  const stack = await startStack({
    env: process.env,
    dataDir: process.env['DATA_DIR'] || './data',
    services: [],
    ports: 'preferred',
    log: (line) => console.error(line),
    output: 'inherit',
  });
  for (const name of PRINTED) {
    const value = stack.env[name];
    if (value !== undefined) await print(`export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`);
  }
  return stack;
});
