import { basename } from 'node:path';
import { activityInputs } from '../activities/create-activities.ts';
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

export const WORKER_METRICS = {
  jobs: { description: 'Ended jobs by kind and outcome: success, or the failure code', labels: ['kind', 'outcome'] },
  job_seconds: { description: 'Time from the request for a job to its end', labels: ['kind'], advice: overWork },
  stages: {
    description:
      'Attempts at activities: ok, later (the attempt only waited), a failure code, or error (an internal fault)',
    labels: ['stage', 'outcome'],
  },
  stage_seconds: {
    description: 'Time of attempts, without those that only waited',
    labels: ['stage'],
    advice: overWork,
  },
  platform_refusals: {
    description: 'Refusals of this service by a platform; all other sites are one route',
    labels: ['route', 'code'],
  },
  published_bytes: { description: 'Bytes of published files', labels: ['kind'] },
  webhook_attempts: {
    description: 'Attempts at webhooks: delivered, refused (retried), abandoned, forbidden',
    labels: ['outcome'],
  },
  program_runs: { description: 'Ended programs by exit', labels: ['program', 'end'] },
  program_seconds: { description: 'Running time of programs', labels: ['program'] },
  speech_audio_seconds: { description: 'Transcribed audio', labels: ['engine'] },
  speech_work_seconds: { description: 'Time that engines took to transcribe it', labels: ['engine'] },
  route_paused: {
    description:
      '1 while the circuit breaker of a route is not closed: opened by an operator, or by refusals of the platform',
    labels: ['route', 'by'],
  },
  queue_waiting: { description: 'Tasks that wait in a queue', labels: ['queue'] },
  queue_oldest_seconds: { description: 'Age of the oldest waiting task', labels: ['queue'] },
  ytdlp_age_days: { description: 'Days since the release of the yt-dlp that new jobs use', labels: ['version'] },
  ytdlp_releases: {
    description: 'Releases of yt-dlp: fetched, switched (used from then on), refused, trouble (none could be fetched)',
    labels: ['what'],
  },
  queue_polled: {
    description: '1 while this worker polls a queue; workers with the role workflows report 0 for all others',
    labels: ['queue'],
  },
} as const satisfies Readonly<Record<string, Metric>>;

export interface GaugeSources {
  /** The routes with queues of their own. */
  readonly routes: readonly string[];
  readonly breakers: Breakers;
  readonly backlogs: () => Promise<readonly Backlog[]>;
  readonly queues: () => readonly QueueState[];
  /** The queues of all roles. Those that this worker does not poll are reported as 0, so that an unpolled queue is visible. */
  readonly serviceQueues: readonly string[];
  /** The yt-dlp that new jobs use; undefined if the roles need none. */
  readonly ytdlp: (() => Promise<DatedVersion>) | undefined;
}

/** Failure codes that operators must handle: the cause is neither the subject nor an open circuit breaker. */
const ALARMING = FAILURE_CODES.filter(
  (code) => FAILURE_FAULTS[code] !== 'subject' && code !== 'cancelled' && !isPlatformRefusal(code),
);

/** @param knownPrograms paths */
export function createWorkerMetrics(metrics: Metrics, knownPrograms: readonly string[]) {
  const own = metrics.instruments(WORKER_METRICS);
  const jobs = own.counter('jobs');
  const jobDurations = own.histogram('job_seconds');
  const stages = own.counter('stages');
  const stageSeconds = own.histogram('stage_seconds');
  const refusals = own.counter('platform_refusals');
  const publishedBytes = own.counter('published_bytes');
  const webhookAttempts = own.counter('webhook_attempts');
  const programs = own.counter('program_runs');
  // Counters of alerts start at 0, because Prometheus sees no increase in a series that starts with its first event.
  for (const outcome of ['delivered', 'abandoned']) webhookAttempts({ outcome }, 0);
  for (const { workflow: kind } of Object.values(kinds))
    for (const outcome of ['success', ...ALARMING]) jobs({ kind, outcome }, 0);
  for (const stage of Object.keys(activityInputs))
    for (const outcome of ['error', 'disk_full']) stages({ stage, outcome }, 0);
  for (const path of knownPrograms) programs({ program: basename(path), end: 'killed' }, 0);
  const onJob = ({ kind, code, bytes, jobSeconds }: Stage): void => {
    if (jobSeconds === undefined) return;
    jobs({ kind, outcome: code ?? 'success' });
    jobDurations({ kind }, jobSeconds);
    if (bytes !== undefined) publishedBytes({ kind }, bytes);
  };
  const onAttempt = ({ isLast }: AttemptInput, result: LocalAttemptResult): void => {
    // Nothing was sent; an activity task follows.
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
    onStage: (ended: Stage): void => {
      const { stage, route, outcome, seconds, input, result } = ended;
      stages({ stage, outcome });
      if (outcome !== 'later') stageSeconds({ stage }, seconds);
      if (outcome !== 'ok' && outcome !== 'later' && outcome !== 'error' && isPlatformRefusal(outcome))
        refusals({ route: route?.startsWith('site/') === true ? 'site' : (route ?? 'none'), code: outcome });
      onJob(ended);
      // The inputs of successful attempts were checked.
      if (outcome === 'ok' && stage === 'attemptDelivery')
        onAttempt(input as AttemptInput, result as LocalAttemptResult);
    },
    addGauges({ routes, breakers, backlogs, queues, serviceQueues, ytdlp }: GaugeSources): void {
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
