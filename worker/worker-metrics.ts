import { basename } from 'node:path';
import { decodeTime } from 'ulid';
import { activityInputs } from '../activities/create-activities.ts';
import type { FinishedJob } from '../activities/job-records.ts';
import type { AttemptInput, LocalAttemptResult } from '../activities/deliver-webhook.ts';
import { FAILURE_CODES, FAILURE_FAULTS } from '../contract/failures.ts';
import { kinds } from '../contract/kinds/kinds.ts';
import { isPlatformRefusal } from '../pacing/routes.ts';
import type { DatedVersion } from '../runtime/subprocess/dated-version.ts';
import type { Breakers } from '../pacing/breakers.ts';
import { WORK_SECONDS, type Metric, type Metrics } from '../runtime/telemetry/metrics.ts';
import { transcribedWindows, programRuns, ytdlpReleases } from '../runtime/telemetry/diagnostics.ts';
import type { Backlog } from './backlogs.ts';
import type { Stage } from './activity-log.ts';
import type { QueueState } from './create-workers.ts';

const overWork = { explicitBucketBoundaries: WORK_SECONDS };

/** What a worker measures. */
export const WORKER_METRICS = {
  jobs: { description: 'Jobs that have ended, by kind: success, or why they failed', labels: ['kind', 'outcome'] },
  job_seconds: { description: 'Time from the request for a job to its end', labels: ['kind'], advice: overWork },
  stages: {
    description: 'Attempts at steps of jobs: ok, later (it only had to wait), a code, or error (our own fault)',
    labels: ['stage', 'outcome'],
  },
  stage_seconds: { description: 'Time of attempts that had not only to wait', labels: ['stage'], advice: overWork },
  platform_refusals: {
    description: 'Refusals of this service by a platform; all sites that are none are one route',
    labels: ['route', 'code'],
  },
  published_bytes: { description: 'Bytes of files that jobs have published', labels: ['kind'] },
  webhook_attempts: {
    description: 'Attempts at webhooks: delivered, refused (another follows), abandoned, forbidden',
    labels: ['outcome'],
  },
  program_runs: { description: 'Programs that have ended, by how they did', labels: ['program', 'end'] },
  program_seconds: { description: 'Time that programs ran', labels: ['program'] },
  speech_audio_seconds: { description: 'Audio whose words were heard', labels: ['engine'] },
  speech_work_seconds: { description: 'Time that engines took to hear it', labels: ['engine'] },
  route_paused: {
    description:
      '1 while the circuit breaker of a route is not closed: opened by an operator, or by a platform that refuses this service',
    labels: ['route', 'by'],
  },
  queue_waiting: { description: 'Tasks that wait in a queue for any worker', labels: ['queue'] },
  queue_oldest_seconds: { description: 'How long the oldest of them has waited', labels: ['queue'] },
  ytdlp_age_days: { description: 'Days since the release of the yt-dlp that new jobs use', labels: ['version'] },
  ytdlp_releases: {
    description: 'Releases of yt-dlp: fetched, switched (used from then on), refused, trouble (none could be had)',
    labels: ['what'],
  },
  queue_polled: {
    description: '1 while this worker takes tasks of a queue; 0 of all others is told by who runs workflows',
    labels: ['queue'],
  },
} as const satisfies Readonly<Record<string, Metric>>;

interface Looks {
  /** Those that have queues of their own. */
  readonly routes: readonly string[];
  readonly breakers: Breakers;
  readonly backlogs: () => Promise<readonly Backlog[]>;
  readonly queues: () => readonly QueueState[];
  /** Those of which is told that this worker does not poll them. */
  readonly serviceQueues: readonly string[];
  /** Undefined where the roles need none. */
  readonly ytdlp: (() => Promise<DatedVersion>) | undefined;
}

/** Why jobs fail that somebody must look after: neither their subjects nor a pause is at fault. */
const ALARMING = FAILURE_CODES.filter(
  (code) => FAILURE_FAULTS[code] !== 'subject' && code !== 'cancelled' && !isPlatformRefusal(code),
);

/** @param knownPrograms paths of those that are run again and again */
export function createWorkerMetrics(metrics: Metrics, knownPrograms: readonly string[]) {
  const own = metrics.instruments(WORKER_METRICS);
  const jobs = own.counter('jobs');
  const jobSeconds = own.histogram('job_seconds');
  const stages = own.counter('stages');
  const stageSeconds = own.histogram('stage_seconds');
  const refusals = own.counter('platform_refusals');
  const publishedBytes = own.counter('published_bytes');
  const webhookAttempts = own.counter('webhook_attempts');
  const programs = own.counter('program_runs');
  // Where alerts look, a count begins at 0: one that begins with its first event is no increase to Prometheus.
  for (const outcome of ['delivered', 'abandoned']) webhookAttempts({ outcome }, 0);
  for (const { workflow: kind } of Object.values(kinds))
    for (const outcome of ['success', ...ALARMING]) jobs({ kind, outcome }, 0);
  for (const stage of Object.keys(activityInputs))
    for (const outcome of ['error', 'disk_full']) stages({ stage, outcome }, 0);
  for (const path of knownPrograms) programs({ program: basename(path), end: 'killed' }, 0);
  const onJob = (kind: string, { recordId, outcome }: FinishedJob): void => {
    jobs({ kind, outcome: outcome.status === 'success' ? 'success' : outcome.failure.code });
    jobSeconds({ kind }, (Date.now() - decodeTime(recordId)) / 1000);
    if (outcome.status !== 'success') return;
    for (const { sizeBytes } of outcome.result.files ?? []) publishedBytes({ kind }, sizeBytes);
  };
  const onAttempt = ({ isLast }: AttemptInput, result: LocalAttemptResult): void => {
    // Nothing was sent: a task follows that sends it.
    if (result === 'queue') return;
    webhookAttempts({ outcome: result === 'refused' && isLast ? 'abandoned' : result });
  };

  const programSeconds = own.counter('program_seconds');
  programRuns.subscribe(({ program, seconds, end }) => {
    programs({ program, end: 'killed' }, 0);
    programs({ program, end });
    programSeconds({ program }, seconds);
  });
  const audioSeconds = own.counter('speech_audio_seconds');
  const workSeconds = own.counter('speech_work_seconds');
  transcribedWindows.subscribe((heard) => {
    audioSeconds({ engine: heard.engine }, heard.audioSeconds);
    workSeconds({ engine: heard.engine }, heard.seconds);
  });
  const releases = own.counter('ytdlp_releases');
  ytdlpReleases.subscribe(({ what }) => {
    for (const alarming of ['refused', 'trouble']) releases({ what: alarming }, 0);
    releases({ what });
  });

  return {
    onStage: ({ stage, kind, route, outcome, seconds, input, result }: Stage): void => {
      stages({ stage, outcome });
      if (outcome !== 'later') stageSeconds({ stage }, seconds);
      if (outcome !== 'ok' && outcome !== 'later' && outcome !== 'error' && isPlatformRefusal(outcome)) {
        refusals({ route: route?.startsWith('site/') === true ? 'site' : (route ?? 'none'), code: outcome });
      }
      // Their inputs were checked before they ran.
      if (outcome === 'ok' && stage === 'finishJob') onJob(kind, input as FinishedJob);
      if (outcome === 'ok' && stage === 'attemptDelivery')
        onAttempt(input as AttemptInput, result as LocalAttemptResult);
    },
    /** What is looked up when the page is read. */
    addLooks({ routes, breakers, backlogs, queues, serviceQueues, ytdlp }: Looks): void {
      own.gauges(['route_paused'], async (observe) => {
        for (const route of routes) {
          const by = (await breakers.of(route).open())?.open.by;
          for (const one of ['operator', 'platform'] as const)
            observe('route_paused', { route, by: one }, by === one ? 1 : 0);
        }
      });
      own.gauges(['queue_waiting', 'queue_oldest_seconds'], async (observe) => {
        for (const { queue, tasks, oldestSeconds } of await backlogs()) {
          observe('queue_waiting', { queue }, tasks);
          observe('queue_oldest_seconds', { queue }, oldestSeconds);
        }
      });
      if (ytdlp !== undefined) {
        own.gauges(['ytdlp_age_days'], async (observe) => {
          const { version, ageDays } = await ytdlp();
          if (ageDays !== undefined) observe('ytdlp_age_days', { version }, ageDays);
        });
      }
      own.gauges(['queue_polled'], (observe) => {
        const polled = new Map(serviceQueues.map((queue) => [queue, 0]));
        for (const { queue, state } of queues()) polled.set(queue, state === 'polled' ? 1 : 0);
        for (const [queue, value] of polled) observe('queue_polled', { queue }, value);
        return Promise.resolve();
      });
    },
  };
}
