// npm run engines: only the engines and the tools, for a service that is started by hand beside them.
import { resolve } from 'node:path';
import { defaultCacheDir } from './engines/cache.ts';
import { startEngines } from './engines/engines.ts';
import { runUntilSignal } from './run-until-signal.ts';
import { ensureTools } from './engines/tools.ts';

await runUntilSignal(async () => {
  const cacheDir = defaultCacheDir(process.env);
  const log = (line: string): void => console.error(line);
  const dataDir = resolve(process.env['DATA_DIR'] || './data');
  const tools = await ensureTools({ env: process.env, cacheDir, log });
  const engines = await startEngines({ env: process.env, dataDir, cacheDir, ports: 'preferred', log });
  const settings = {
    TEMPORAL_ADDRESS: engines.temporalAddress,
    TEMPORAL_UI_URL: engines.temporalUiUrl,
    MONGODB_URI: engines.mongodbUri,
    YTDLP_PATH: tools.ytdlp,
    FFMPEG_PATH: tools.ffmpeg,
    FFPROBE_PATH: tools.ffprobe,
  };
  for (const [name, value] of Object.entries(settings)) {
    if (value !== undefined) console.log(`export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`);
  }
  return engines;
});
