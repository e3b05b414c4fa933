import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { createActivities } from '../activities/create-activities.ts';
import { createLocalJobs } from '../activities/local-jobs.ts';
import { loadConfigOrExit } from '../config.ts';
import { createMedia } from '../media/ffmpeg.ts';
import { createLog } from '../runtime/telemetry/log.ts';
import { onStop } from '../runtime/subprocess/on-stop.ts';
import { createDownloader, MEDIA_HOST_LIMITS } from '../outbound/download.ts';
import { createBrightDataSource } from '../sources/imgnet/bright-data.ts';
import { createSubscriptionSchedules } from '../api/subscription-schedules.ts';
import { createDataApiChannels } from '../sources/vidnet/data-api/data-api-channel.ts';
import { createDataApi } from '../sources/vidnet/data-api/data-api-client.ts';
import { createDataApiComments } from '../sources/vidnet/data-api/data-api-comments.ts';
import { createSponsorBlock } from '../sources/vidnet/sponsorblock.ts';
import { createYtdlpChannels } from '../sources/vidnet/yt-dlp/yt-dlp-channel.ts';
import { createYtdlpComments } from '../sources/vidnet/yt-dlp/yt-dlp-comments.ts';
import { createMediaInfoSource } from '../sources/vidnet/yt-dlp/yt-dlp-info.ts';
import { createYtdlpLists } from '../sources/vidnet/yt-dlp/yt-dlp-list.ts';
import { createTranscriptSource } from '../sources/vidnet/yt-dlp/yt-dlp-transcript.ts';
import { createYtdlpSource } from '../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import { SPEECH_TIMEOUT_MS } from '../speech/choose-engine.ts';
import { engineKeyOf } from '../speech/speech-engine.ts';
import { createKeyDownloadStore } from '../store/accounts/key-downloads.ts';
import { createKeyStore } from '../store/accounts/key-store.ts';
import { createBatchStore } from '../store/records/batch-store.ts';
import { createSubscriptionStore } from '../store/records/subscription-store.ts';
import { createContentsStore } from '../store/records/contents-store.ts';
import { createDeliveryStore } from '../store/records/delivery-store.ts';
import { joinFilesFolder } from '../store/files/files-folder.ts';
import { createFileStore, createUploads, WORKER_BUCKET_LIMITS } from '../store/files/create-file-store.ts';
import { createExpiredDocuments } from '../store/records/expired-documents.ts';
import { createSpaceGuard } from '../store/files/free-space.ts';
import { createIndexes } from '../store/mongo/indexes.ts';
import { createLinkSigner } from '../store/files/link-signer.ts';
import { createTimedIds } from '../store/mongo/timed-ids.ts';
import { createListStore } from '../store/records/list-store.ts';
import { createBreakerStore } from '../pacing/breaker-store.ts';
import { createBreakers } from '../pacing/breakers.ts';
import { routesOf, routesOfRoles } from '../pacing/routes.ts';
import { createRecordStore } from '../store/records/record-store.ts';
import { reachEngines, temporalSettingsOf } from '../store/mongo/reach-engines.ts';
import { createSnapshotStore } from '../store/records/snapshot-store.ts';
import { createSpeechAudio } from '../store/files/speech-audio.ts';
import { createWorkFolders } from '../store/files/work-folders.ts';
import { createJobHistories } from '../runtime/temporal/job-histories.ts';
import { connectionOptions, orUnreachable } from '../runtime/temporal/temporal-client.ts';
import { createWebhookClient, WEBHOOK_CLIENT_LIMITS } from '../outbound/webhooks/webhook-client.ts';
import { createReceiverShares } from '../outbound/webhooks/receiver-shares.ts';
import { createWebhookSigner } from '../outbound/webhooks/webhook-signature.ts';
import { createPollerCount, queuesOfService } from './backlogs.ts';
import { createItemAcceptor } from './item-acceptor.ts';
import { createWorkers } from './create-workers.ts';
import { deploymentOf, FAILURE_CONVERTER, loadWorkflows } from './workflow-bundle.ts';
import { arrangeRetention, retentionOf } from './retention-schedule.ts';
import { nexusService } from './nexus-service.ts';
import { startTelemetry, temporalRuntime } from './start-telemetry.ts';
import { startSweeps } from './sweeps.ts';
import { setUpSpeech } from './set-up-speech.ts';
import { setUpYtdlp } from './set-up-yt-dlp.ts';

const config = loadConfigOrExit(process.env, ['TEMPORAL_ADDRESS', 'MONGODB_URI']);
const notifies = config.WORKER_ROLES.some((role) => role === 'workflows' || role === 'webhooks');
const log = await createLog('worker', config);
Runtime.install(temporalRuntime(log, config));
const telemetry = await startTelemetry(config, log);

const exitWith = (error: unknown): never => {
  log.fatal({ err: error }, error instanceof Error ? error.message : 'cannot start');
  return process.exit(1);
};
const { mongo, client, closeTemporal } = await reachEngines(config, { timeoutMs: 10_000, log }).catch(exitWith);
const temporal = await temporalSettingsOf(config).catch(exitWith);
const webhooks = createWebhookClient({ ...WEBHOOK_CLIENT_LIMITS, allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS });
// Others make no links, and need no secret.
const signer = createLinkSigner({
  secrets: notifies ? loadConfigOrExit(process.env, ['LINK_SECRET']).LINK_SECRET : [randomUUID()],
  driveUrl: config.DRIVE_URL,
  ttlSeconds: config.LINK_TTL_SECONDS,
});
const workFolders = createWorkFolders(config.workDir);
const files = await createFileStore(config.files, WORKER_BUCKET_LIMITS);
await mkdir(config.workDir, { recursive: true });
await files.check().catch(exitWith);
if (config.files.kind === 'disk' && config.WORKER_ROLES.some((role) => role !== 'webhooks'))
  await joinFilesFolder({ db: mongo.db, root: config.files.root, host: hostname() }).catch(exitWith);
const space = createSpaceGuard({
  folders: [config.workDir, ...(config.files.kind === 'disk' ? [config.files.root] : [])],
  minFreeBytes: config.MIN_FREE_BYTES,
});
const limits = { maxFileBytes: config.MAX_FILE_BYTES, maxMediaSeconds: config.MAX_MEDIA_SECONDS };
const tools = { ffmpeg: config.FFMPEG_PATH, ffprobe: config.FFPROBE_PATH, maxVideoHeight: config.MAX_VIDEO_HEIGHT };
const ytdlpProgram = await setUpYtdlp(config, { db: mongo.db, log }).catch(exitWith);
const { settings: ytdlp } = ytdlpProgram;
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
const speechFolders = createWorkFolders(config.speechWorkDir);
const { speech, close: closeSpeech } = await setUpSpeech(config, { db: mongo.db, folders: speechFolders, log }).catch(
  exitWith,
);
const speechAudio = createSpeechAudio(config.speechDir);
const records = createRecordStore(mongo.db);
const now = (): number => Date.now();
const lists = createListStore(mongo.db, { records, now });
const uploads = createUploads(config.files, WORKER_BUCKET_LIMITS);
const keys = createKeyStore(mongo.db);
const keyDownloads = createKeyDownloadStore(mongo.db);
const expiredDocuments = createExpiredDocuments(mongo.db);
const sweeps = await startSweeps({
  ...{ folders: [workFolders, speechFolders], speechAudio, uploads },
  ...{ records, files, keys, keyDownloads, expiredDocuments, now, log },
  ...{ removals: createTimedIds(mongo.db, 'planned_removals'), histories: createJobHistories(client) },
});
const retention = retentionOf(config);
const routes = routesOf(config);
const breakers = createBreakers({
  store: createBreakerStore(mongo.db, config.TASK_QUEUE),
  routes,
  onError: (error) => log.warn({ err: error }, 'a circuit breaker could not be read or changed'),
});
const stopping = new AbortController();
const acceptor = createItemAcceptor(
  { records, lists, contents, files, keyDownloads, now, log, stopping: stopping.signal },
  { db: mongo.db, client, breakers, config },
);
const activities = createActivities({
  sponsorBlock: createSponsorBlock({ rootUrl: config.SPONSORBLOCK_URL }),
  ...{ breakers, routes, records, keys },
  localJobs: createLocalJobs(),
  stopping: stopping.signal,
  batches: createBatchStore(mongo.db),
  countPollers: createPollerCount(client, temporal.namespace),
  maxFetches: config.MAX_FETCHES,
  subscriptions: createSubscriptionStore(mongo.db),
  pauseSchedule: createSubscriptionSchedules(client, config.TASK_QUEUE).pause,
  ...acceptor,
  deliveries: createDeliveryStore(mongo.db),
  contents,
  files,
  space,
  workFolders,
  uploads,
  vidnet: createYtdlpSource(ytdlp),
  transcripts: createTranscriptSource(ytdlp),
  mediaInfos: createMediaInfoSource(ytdlp),
  listSource: createYtdlpLists(ytdlp, ytdlpChannels),
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
  ...retention,
  ...{ expiredDocuments, now },
  downloadMedia: createDownloader({ ...MEDIA_HOST_LIMITS, allowedNetworks: config.MEDIA_ALLOWED_NETWORKS }),
  media: createMedia({ ...tools, ...limits }),
  webhooks,
  receivers: createReceiverShares({ maxAtOnce: config.MAX_DELIVERIES }),
  signWebhook: createWebhookSigner(config.WEBHOOK_SECRETS),
  traceHeaders: telemetry.traceHeaders,
  rendering: { prices: config.prices, linkTo: (...file) => signer.linkTo(...file), contents, lists },
  ...{ speech, speechAudio, ffmpeg: config.FFMPEG_PATH },
  speechTimeoutMs: SPEECH_TIMEOUT_MS,
  speechWindowSeconds: config.SPEECH_WINDOW_SECONDS,
  ...limits,
  fetchTimeoutMs: config.FETCH_TIMEOUT_SECONDS * 1000,
});

const connection = await orUnreachable(temporal.address, NativeConnection.connect(connectionOptions(temporal))).catch(
  exitWith,
);
const deployment = await deploymentOf(config);
if (deployment !== undefined) log.info(deployment.version, 'jobs that begin here stay with workers of this release');
const workers = await createWorkers({
  roles: config.WORKER_ROLES,
  connection,
  deployment,
  breakers,
  routes: routesOfRoles(routes, config.WORKER_ROLES),
  namespace: temporal.namespace,
  taskQueue: config.TASK_QUEUE,
  bundle: config.WORKER_ROLES.includes('workflows')
    ? await loadWorkflows({ hidesFailures: temporal.payloadCodec !== undefined })
    : undefined,
  dataConverter: temporal.payloadCodec && {
    payloadCodecs: [temporal.payloadCodec],
    failureConverterPath: FAILURE_CONVERTER,
  },
  ...{ activities, nexusService },
  maxFetches: config.MAX_FETCHES,
  maxSpeechWindows: config.MAX_SPEECH_WINDOWS,
  engineKey: 'missing' in speech ? undefined : engineKeyOf(speech.engine),
  maxDeliveries: config.MAX_DELIVERIES,
  shutdownGraceMs: config.SHUTDOWN_GRACE_SECONDS * 1000,
  watch: telemetry.watch,
});

// Workers that run workflows do what is done once for the whole service.
if (config.WORKER_ROLES.includes('workflows')) await arrangeRetention(client, retention).catch(exitWith);
onStop(process.env, (reason) => {
  log.info({ reason }, 'stopping: running work gets its grace time');
  stopping.abort();
  workers.shutdown();
});
const running = workers.run();
const { queues } = workers;
const servedRoutes = routesOfRoles(routes, config.WORKER_ROLES).map(({ route }) => route);
const serviceQueues = config.WORKER_ROLES.includes('workflows') ? queuesOfService(config.TASK_QUEUE, routes) : [];
await telemetry
  .serve({ client, mongo, queues, serviceQueues, routes: servedRoutes, breakers, ytdlp: ytdlpProgram.version })
  .catch(exitWith);
log.info({ taskQueue: config.TASK_QUEUE, roles: config.WORKER_ROLES, temporal: temporal.address }, 'worker is ready');
// In the background: without indexes listings are slow, and everything else works. The next worker that starts tries again.
void createIndexes(mongo.db).catch((err: unknown) => log.warn({ err }, 'the indexes could not be created'));
process.send?.({ ready: true });
void ytdlpProgram.check().catch(exitWith);
try {
  await running;
} finally {
  sweeps.stop();
  await telemetry.close();
  webhooks.close();
  await ytdlpProgram.close();
  await closeSpeech();
  await imgnet.close();
  // A worker that was cut off may still hold the connection; the process ends all the same.
  await connection.close().catch((error: unknown) => log.warn({ err: error }, 'the connection was not closed'));
  await closeTemporal();
  await mongo.close();
}
// An open channel to the parent would keep the process alive.
if (process.connected) process.disconnect();
