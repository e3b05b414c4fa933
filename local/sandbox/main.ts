// npm run sandbox [-- --media DIR]: runs the whole service on this machine, with stand-ins for both platforms.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultCacheDir } from '../engines/cache.ts';
import { choosePort } from '../engines/ports.ts';
import { isWatched, runUntilSignal } from '../run-until-signal.ts';
import { startStack } from '../stack.ts';
import { ensureTools } from '../engines/tools.ts';
import { BUILT_IN_CATALOGUE, startSandbox } from './server.ts';
import { TALK, transcribeTalk } from './talk.ts';

/** Webhook receivers run on this machine too. */
const LOOPBACK = '127.0.0.0/8,::1/128';

await runUntilSignal(async () => {
  const { env } = process;
  const log = (line: string): void => console.error(line);
  const { media } = readArguments();
  const cacheDir = defaultCacheDir(env);
  const { ffmpeg, ffprobe } = await ensureTools({ env, cacheDir, log });
  const dataApi = env['SANDBOX_DATA_API'] !== 'false';
  const sandbox = await startSandbox({
    dataApi,
    catalogueDir: given(env['SANDBOX_CATALOG']) ?? BUILT_IN_CATALOGUE,
    mediaDir: media,
    cacheDir: join(cacheDir, 'sandbox'),
    port: await choosePort(
      { env, what: 'sandbox', setting: 'SANDBOX_PORT', preferred: 4000, choice: 'preferred' },
      log,
    ),
    ffmpeg,
    ffprobe,
    log,
  });
  const stack = await startStack({
    env: {
      ...env,
      WEBHOOK_ALLOWED_NETWORKS: [given(env['WEBHOOK_ALLOWED_NETWORKS']) ?? [], LOOPBACK].flat().join(','),
      // API fuzzers give up on an answer after 10 s.
      DEFAULT_WAIT_SECONDS: given(env['DEFAULT_WAIT_SECONDS']) ?? '8',
      // The models are shared with npm start and npm run demo.
      SPEECH_MODELS_DIR: given(env['SPEECH_MODELS_DIR']) ?? resolve(given(env['DATA_DIR']) ?? './data', 'models'),
      // A key in the user's environment is for the real platform.
      VIDNET_API_KEY: '',
      ...sandbox.env,
    },
    dataDir: given(env['DATA_DIR']) ?? './data/sandbox',
    cacheDir,
    services: ['api', 'worker'],
    ports: 'preferred',
    log,
    output: 'inherit',
  }).catch(async (error: unknown) => {
    await sandbox.stop();
    throw error;
  });
  const processes = stack.processes().map(({ name, pid }) => `${name} ${String(pid)}`);
  console.log(`SANDBOX_URL=${sandbox.url}`);
  console.log(`Service      ${stack.restUrl} (its documentation: ${stack.restUrl}/docs)`);
  console.log(`tRPC         ${stack.rpcUrl} (its token: ${stack.rpcTokenIn})`);
  console.log(`Web UI       ${stack.temporalUiUrl ?? `none known; Temporal is at ${stack.temporalAddress}`}`);
  console.log(`Processes    ${processes.join(', ')}, sandbox ${String(process.pid)}`);
  console.log(`Videos       curl ${sandbox.url}/`);
  // Recordings that were added with --media come last.
  const video = sandbox.catalogue.findLast((one) => one.case === 'ordinary');
  if (video !== undefined) {
    console.log(`In a browser ${stack.restUrl}/console?q=${encodeURIComponent(video.id)}`);
    console.log(
      `Try          curl -X POST ${stack.restUrl}/api/downloads/audio -d '{"vidnet_video_id":"${video.id}"}'`,
    );
  }
  console.log('Ctrl-C stops all of them.');
  const stopping = new AbortController();
  const talk = isWatched() ? sandbox.catalogue.find(({ title }) => title === TALK) : undefined;
  if (talk !== undefined) {
    transcribeTalk(stack.restUrl, talk.id, stopping.signal).then(
      (pageUrl) => console.log(`To look at   ${pageUrl} (who says what in a talk of two, ready in a moment)`),
      (error: unknown) => {
        if (!stopping.signal.aborted) console.error(`No transcript to look at: ${String(error)}`);
      },
    );
  }
  return {
    async stop() {
      stopping.abort();
      await stack.stop();
      await sandbox.stop();
    },
  };
});

function readArguments(): { media: string | undefined } {
  try {
    return { media: parseArgs({ options: { media: { type: 'string' } } }).values.media };
  } catch (error) {
    throw new Error(`${String(error)}\nusage: npm run sandbox [-- --media DIR]`, { cause: error });
  }
}

function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
