// npm run yt-dlp: runs operator/yt-dlp/main.ts with the yt-dlp that npm start uses.
import { defaultCacheDir } from './engines/cache.ts';
import { ensure } from './engines/strategies.ts';
import { ytdlp } from './engines/ytdlp.ts';

const { env } = process;
const tool = ytdlp({ env, cacheDir: defaultCacheDir(env), log: () => undefined });
try {
  env['YTDLP_PATH'] = (await ensure(tool, (line) => console.error(line))).value;
  await import('../operator/yt-dlp/main.ts');
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
