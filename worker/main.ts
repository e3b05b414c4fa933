import { mkdir } from 'node:fs/promises';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { createActivities } from '../activities/create-activities.ts';
import { loadConfigOrExit } from '../config.ts';
import { createMedia } from '../media/ffmpeg.ts';
import { createLog } from '../runtime/log.ts';
import { YTDLP_OLD_AFTER_DAYS } from '../runtime/subprocess/dated-version.ts';
import { onStop } from '../runtime/subprocess/on-stop.ts';
import { createDownloader, MEDIA_HOST_LIMITS } from '../outbound/download.ts';
import { PROXY_LIMITS, startForwardProxy } from '../outbound/forward-proxy.ts';
import { createBrightDataSource } from '../sources/imgnet/bright-data.ts';
import { createDataApiChannels } from '../sources/vidnet/data-api/channel.ts';
import { createDataApi } from '../sources/vidnet/data-api/client.ts';
import { createDataApiComments } from '../sources/vidnet/data-api/comments.ts';
import { createYtdlpChannels } from '../sources/vidnet/yt-dlp-channel.ts';
import { createYtdlpComments } from '../sources/vidnet/yt-dlp-comments.ts';
import type { YtdlpSettings } from '../sources/vidnet/yt-dlp-settings.ts';
import { readYtdlpVersion } from '../sources/vidnet/yt-dlp-version.ts';
import { createTranscriptSource } from '../sources/vidnet/yt-dlp-transcript.ts';
import { createWarmYtdlp } from '../sources/vidnet/warm-yt-dlp.ts';
import { createYtdlpSource } from '../sources/vidnet/yt-dlp.ts';
import { chooseSpeech, SPEECH_TIMEOUT_MS } from '../speech/choose-engine.ts';
import { createContentsStore } from '../store/contents.ts';
import { createDeliveryStore } from '../store/deliveries.ts';
import { createFileStore, WORKER_BUCKET_LIMITS } from '../store/create-file-store.ts';
import { createSpaceGuard } from '../store/free-space.ts';
import { createLinkSigner } from '../store/links.ts';
import { createListStore } from '../store/lists.ts';
import { createPacingStore } from '../store/pacing.ts';
import { createPauseView } from '../runtime/pause-view.ts';
import { createRecordStore } from '../store/records.ts';
import { reachEngines, temporalSettingsOf } from '../store/reach-engines.ts';
import { createSnapshotStore } from '../store/snapshots.ts';
import { createSpeechAudio } from '../store/speech-audio.ts';
import { createSpeechLanguages } from '../store/speech-languages.ts';
import { createWorkFolders } from '../store/work-folders.ts';
import { connectionOptions, orUnreachable } from '../runtime/temporal/connection.ts';
import { createWebhookClient } from '../outbound/webhooks/client.ts';
import { WEBHOOK_CLIENT_LIMITS } from '../outbound/webhooks/limits.ts';
import { createReceiverShares } from '../outbound/webhooks/receiver-shares.ts';
import { createWebhookSigner } from '../outbound/webhooks/signature.ts';
import { createWorkers } from './create-workers.ts';
import { deploymentOf } from './deployment.ts';
import { arrangeRetention } from './retention-schedule.ts';
import { createOldTurns, keepEndingLimiters } from './old-turns.ts';
import { createOpenWorkflows } from './open-workflows.ts';
import { startPacing } from './pacing/pacing.ts';
import { formerRoutesOf, upstreamLimitsOf } from './upstream-limits.ts';
import { removeSpeechLeftovers } from './speech-leftovers.ts';
import { startTelemetry } from './telemetry.ts';
import { temporalRuntime } from './temporal-runtime.ts';
import { loadWorkflows } from './workflow-bundle.ts';

const config = loadConfigOrExit(process.env, ['TEMPORAL_ADDRESS', 'MONGODB_URI', 'LINK_SECRET']);
const log = await createLog('worker', config);
Runtime.install(temporalRuntime(log, config));
const telemetry = await startTelemetry(config, log);

const exitWith = (error: unknown): never => {
  log.fatal({ err: error }, error instanceof Error ? error.message : 'cannot start');
  return process.exit(1);
};
const { mongo, client, closeTemporal } = await reachEngines(config, { timeoutMs: 10_000, log }).catch(exitWith);
const temporal = temporalSettingsOf(config);
const webhooks = createWebhookClient({
  ...WEBHOOK_CLIENT_LIMITS,
  allowedNetworks: config.webhookAllowedNetworks,
});
const signer = createLinkSigner({
  secrets: config.LINK_SECRET,
  driveUrl: config.DRIVE_URL,
  ttlSeconds: config.LINK_TTL_SECONDS,
});
const workFolders = createWorkFolders(config.workDir);
const files = createFileStore(config.files, WORKER_BUCKET_LIMITS);
await mkdir(config.workDir, { recursive: true });
await files.check().catch(exitWith);
const space = createSpaceGuard({
  folders: [config.workDir, ...(config.files.kind === 'disk' ? [config.files.root] : [])],
  minFreeBytes: config.MIN_FREE_BYTES,
});
const limits = { maxFileBytes: config.MAX_FILE_BYTES, maxMediaSeconds: config.MAX_MEDIA_SECONDS };
const guard = await startForwardProxy({ ...PROXY_LIMITS, allowedNetworks: config.mediaAllowedNetworks });
const coldYtdlp: YtdlpSettings = {
  program: config.YTDLP_PATH,
  videoUrlTemplate: config.VIDNET_VIDEO_URL,
  channelUrlTemplate: config.VIDNET_CHANNEL_URL,
  pluginDir: config.YTDLP_PLUGIN_DIR,
  cookiesFile: config.YTDLP_COOKIES_FILE,
  proxy: config.YTDLP_PROXY,
  guardUrl: guard.url,
  extractorArgs: config.YTDLP_EXTRACTOR_ARGS,
  jsRuntime: config.YTDLP_JS_RUNTIME ?? `node:${process.execPath}`,
  maxVideoHeight: config.MAX_VIDEO_HEIGHT,
  ...limits,
};
const warmYtdlp = createWarmYtdlp(coldYtdlp, {
  tell: (failure) =>
    failure === undefined
      ? log.info('yt-dlp is kept warm')
      : log.warn({ err: failure }, 'yt-dlp is not kept warm: each call starts it anew, which takes longer'),
});
const ytdlp: YtdlpSettings = { ...coldYtdlp, starter: warmYtdlp };
const ytdlpChannels = createYtdlpChannels(ytdlp);
const dataApi =
  config.VIDNET_API_KEY === undefined
    ? undefined
    : createDataApi({ key: config.VIDNET_API_KEY, rootUrl: config.VIDNET_API_URL });
const imgnet = createBrightDataSource({
  apiUrl: config.IMGNET_API_URL,
  token: config.IMGNET_API_TOKEN,
  datasets: {
    profiles: config.IMGNET_DATASET_PROFILES,
    posts: config.IMGNET_DATASET_POSTS,
    reels: config.IMGNET_DATASET_REELS,
  },
  platformUrl: config.IMGNET_PLATFORM_URL,
});
const contents = createContentsStore(mongo.db);
const removed = await workFolders.removeAbandoned();
if (removed.length > 0) log.info({ removed }, 'removed what an earlier worker left behind');
// Not among the folders of attempts, which are gone when a job has ended: this one lasts as long as the worker.
const speechFolders = createWorkFolders(config.speechWorkDir);
await speechFolders.removeAbandoned();
const speechFolder = await speechFolders.open('engine');
const speech = await chooseSpeech(config, speechFolder.path);
if ('missing' in speech) {
  // One that was asked for by name is an error of the operator's; without any, everything else works.
  if (config.SPEECH_ENGINE !== 'auto') exitWith(new Error(`SPEECH_ENGINE=${config.SPEECH_ENGINE}: ${speech.missing}`));
  log.warn(`no speaker labels: ${speech.missing}`);
} else {
  log.info({ engine: speech.engine.name }, 'speech engine');
  await createSpeechLanguages(mongo.db)
    .keep(speech.engine.languages)
    // The api refuses nothing then, and the jobs do.
    .catch((error: unknown) => log.warn({ err: error }, 'the api was not told the languages of the speech engine'));
}
const speechAudio = createSpeechAudio(config.speechDir);
const records = createRecordStore(mongo.db);
const now = (): number => Date.now();
const lists = createListStore(mongo.db, { records, now });
const leftovers = await removeSpeechLeftovers(speechAudio, records);
if (leftovers.length > 0) log.info({ leftovers }, 'removed the audio of transcriptions that have ended');
const pacingStore = createPacingStore(mongo.db);
const pauseOf = createPauseView(pacingStore, config.TASK_QUEUE);
const routes = upstreamLimitsOf(config);
const stopping = new AbortController();
const activities = createActivities({
  grantTurn: createOldTurns(client, { taskQueue: config.TASK_QUEUE, pauseOf }),
  pauseOf,
  routes,
  stopping: stopping.signal,
  records,
  deliveries: createDeliveryStore(mongo.db),
  contents,
  files,
  space,
  workFolders,
  vidnet: createYtdlpSource(ytdlp),
  transcripts: createTranscriptSource(ytdlp),
  channels:
    dataApi === undefined
      ? ytdlpChannels
      : createDataApiChannels(dataApi, {
          channelUrlTemplate: config.VIDNET_CHANNEL_URL,
          resolveCustom: async (reference, call) => (await ytdlpChannels.describe(reference, call)).facts.vidnet_id,
        }),
  comments: dataApi === undefined ? createYtdlpComments(ytdlp) : createDataApiComments(dataApi),
  maxComments: config.MAX_COMMENTS,
  imgnet,
  snapshots: createSnapshotStore(mongo.db),
  isOpen: createOpenWorkflows(client),
  retentionDays: config.RETENTION_DAYS,
  now,
  downloadMedia: createDownloader({ ...MEDIA_HOST_LIMITS, allowedNetworks: config.mediaAllowedNetworks }),
  media: createMedia({ ffmpeg: config.FFMPEG_PATH, ffprobe: config.FFPROBE_PATH, ...limits }),
  webhooks,
  receivers: createReceiverShares({ maxAtOnce: config.MAX_DELIVERIES }),
  signWebhook: createWebhookSigner(config.webhookKeys),
  traceHeaders: telemetry.traceHeaders,
  rendering: { prices: config.prices, linkTo: (recordId, name) => signer.linkTo(recordId, name), contents, lists },
  speech,
  speechAudio,
  ffmpeg: config.FFMPEG_PATH,
  speechTimeoutMs: SPEECH_TIMEOUT_MS,
  speechWindowSeconds: config.SPEECH_WINDOW_SECONDS,
  ...limits,
  fetchTimeoutMs: config.FETCH_TIMEOUT_SECONDS * 1000,
});

const connection = await orUnreachable(temporal.address, NativeConnection.connect(connectionOptions(temporal))).catch(
  exitWith,
);
const pacing = await startPacing({
  store: pacingStore,
  taskQueue: config.TASK_QUEUE,
  routes,
  formerRoutes: formerRoutesOf(config),
  maxFetches: config.MAX_FETCHES,
  onError: (error) => log.warn({ err: error }, 'the share of the platforms could not be renewed'),
});
const deployment = await deploymentOf(config);
if (deployment !== undefined) log.info(deployment.version, 'jobs that begin here stay with workers of this release');
const workers = await createWorkers({
  connection,
  deployment,
  pacing,
  namespace: temporal.namespace,
  taskQueue: config.TASK_QUEUE,
  bundle: await loadWorkflows(),
  activities,
  maxFetches: config.MAX_FETCHES,
  maxSpeechWindows: config.MAX_SPEECH_WINDOWS,
  maxDeliveries: config.MAX_DELIVERIES,
  shutdownGraceMs: config.SHUTDOWN_GRACE_SECONDS * 1000,
  watch: telemetry.watch,
});

const limiters = keepEndingLimiters(client, {
  taskQueue: config.TASK_QUEUE,
  onEnded: (ended) => log.info({ ended }, 'limiters of an older version were ended'),
  onError: (error) => log.warn({ err: error }, 'limiters of an older version could not be ended'),
});
await arrangeRetention(client, { taskQueue: config.TASK_QUEUE, retentionDays: config.RETENTION_DAYS }).catch(exitWith);

// Last: meanwhile it warms up.
const ytdlpVersion = await readYtdlpVersion(config.YTDLP_PATH, warmYtdlp).catch(exitWith);
const isOld = (ytdlpVersion.ageDays ?? 0) >= YTDLP_OLD_AFTER_DAYS;
log[isOld ? 'warn' : 'info'](ytdlpVersion, isOld ? 'yt-dlp is old: platforms change within weeks' : 'yt-dlp');

onStop(process.env, (reason) => {
  log.info({ reason }, 'stopping: running work gets its grace time');
  stopping.abort();
  workers.shutdown();
});
const running = workers.run();
const { queues } = workers;
await telemetry.serve({ client, mongo, queues, routes: pacing.routes, pauseOf }).catch(exitWith);
log.info({ taskQueue: config.TASK_QUEUE, temporal: temporal.address }, 'worker is ready');
process.send?.({ ready: true });
try {
  await running;
} finally {
  limiters.stop();
  await telemetry.close();
  await pacing.stop();
  webhooks.close();
  await warmYtdlp.close();
  await guard.close();
  await speechFolder.remove();
  await imgnet.close();
  // A worker that was cut off may still hold the connection; the process ends all the same.
  await connection.close().catch((error: unknown) => log.warn({ err: error }, 'the connection was not closed'));
  await closeTemporal();
  await mongo.close();
}
// An open channel to the parent would keep the process alive.
if (process.connected) process.disconnect();
