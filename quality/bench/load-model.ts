import { z } from 'zod';
import type { ScaleRaw } from './parts/scale.ts';
import { nameOf, type KeptResult } from './results.ts';
import { rounded } from './rounds.ts';
import { recordBytesOf } from './stored.ts';

/** Where these prices are from, for a page. */
export const CLOUD_PRICES =
  'Temporal Cloud by [its list](https://docs.temporal.io/cloud/pricing), looked up in November 2026, the cheaper of its plans Developer and Business, above 200 million actions at the last published step';

/** Dollars for a million actions: each step up to so many millions a month. */
const STEPS: readonly (readonly [upToMillions: number, dollars: number])[] = [
  [5, 50],
  [10, 45],
  [20, 40],
  [50, 35],
  [100, 30],
  [Infinity, 25],
];
const HOURS = 744;
const RETAINED_DOLLARS_PER_GB_HOUR = 0.001_05;
/** What a plan takes of what is used; the Business plan at least its base fee, with a share of use in it. */
const PLAN_SHARE = 0.1;
const BUSINESS = { dollars: 500, actions: 2.5e6, retainedGb: 100 };

export function actionDollars(actions: number): number {
  let [dollars, from] = [0, 0];
  for (const [upTo, each] of STEPS) {
    dollars += Math.max(0, Math.min(actions / 1e6, upTo) - from) * each;
    from = upTo;
  }
  return dollars;
}

/** Dollars a month, by the cheaper plan. What is stored of running jobs is left out: a job runs for seconds. */
export function cloudDollars({ actions, retainedGb }: { actions: number; retainedGb: number }): number {
  const storage = (gb: number): number => Math.max(0, gb) * HOURS * RETAINED_DOLLARS_PER_GB_HOUR;
  const developer = (actions / 1e6) * (STEPS[0]?.[1] ?? NaN) + storage(retainedGb);
  const business = actionDollars(Math.max(0, actions - BUSINESS.actions)) + storage(retainedGb - BUSINESS.retainedGb);
  return Math.min(developer * (1 + PLAN_SHARE), business + Math.max(BUSINESS.dollars, business * PLAN_SHARE));
}

const LOADS = [1_000, 10_000, 100_000, 1_000_000];
const ASSUMED = {
  /** The busiest hour over the mean of the day. */
  peak: 3,
  /** How long a download takes: five minutes of audio over an ordinary line. */
  fetchSeconds: 30,
  fileMb: 5,
  fileDays: 7,
  historyDays: 1,
  recordDays: 365,
  use: 0.5,
  /** What a history shard spends on a write, and of its time on writes; it makes one after the other. */
  shardWriteSeconds: 0.01,
  shardUse: 0.1,
  /** 2 GB with each, on demand: AWS Fargate, Virginia, March 2026 (cloudburn.io/blog/aws-fargate-pricing). */
  coreDollars: 0.0494 * 730,
  /** For a GB and month in a bucket: assumed, not looked up. */
  bucketDollars: 0.023,
} as const;
/** As activities/heartbeat.ts sends them. */
const [FIRST_BEAT_SECONDS, BEAT_SECONDS] = [2, 4];
const DAY_SECONDS = 86_400;
const MONTH_DAYS = 30;
const GB = 1e9;

/** What a job for audio with a webhook takes. */
export interface JobCost {
  readonly actions: number;
  readonly events: number;
  readonly operations: number;
  readonly processorSeconds: number;
  /** Of those, of Temporal's server and its PostgreSQL. */
  readonly temporalSeconds: number;
  readonly historyBytes: number;
  readonly temporalBytes: number;
  readonly recordBytes: number;
  readonly slots: number;
}

const countsSchema = z.object({
  audio: z.object({
    actions: z.number(),
    events: z.number(),
    heartbeats: z.number(),
    operations: z.record(z.string(), z.number()),
  }),
});

/**
 * The part of the page on what a load needs, from what has been kept.
 *
 * @returns Markdown; where results are missing, which
 */
export function loadModel(kept: ReadonlyMap<string, KeptResult>): string {
  const [counts, jobs] = [kept.get('counts'), kept.get('jobs')];
  const scale = kept.get(nameOf({ part: 'scale', engine: 'cluster' }));
  if (counts === undefined || jobs === undefined || scale === undefined) {
    const commands = ['counts jobs --keep', 'scale --engine cluster --keep'].map(
      (one) => `\`npm run bench -- ${one}\``,
    );
    return `## Load model\n\nIt needs results of ${commands.join(' and ')}.`;
  }
  const { audio } = countsSchema.parse(counts.raw);
  // This process has written it.
  const scaled = scale.raw as ScaleRaw;
  const secondsOf = (what: string): number => {
    const found = jobs.findings.find((finding) => finding.what === what);
    if (found === undefined) throw new Error(`the results of jobs lack: ${what}`);
    return found.value;
  };
  // What a server does when idle weighs least where there were most jobs a minute.
  const fastest = scaled.runs.at(-1);
  const { temporal = NaN, postgresql = NaN } = fastest?.processorSeconds ?? {};
  const temporalSeconds = (temporal + postgresql) / (fastest?.jobs ?? NaN);
  return textOf({
    actions: audio.actions - audio.heartbeats,
    events: audio.events,
    operations: Object.values(audio.operations).reduce((sum, one) => sum + one, 0),
    processorSeconds: secondsOf('processor time of a job') - secondsOf('of that temporal') + temporalSeconds,
    temporalSeconds,
    historyBytes: scaled.histories.bytes / scaled.jobs,
    temporalBytes: scaled.temporalBytes / scaled.jobs,
    recordBytes: recordBytesOf(scaled),
    slots: scaled.places,
  });
}

export function needsOf(jobsADay: number, cost: JobCost) {
  const perSecond = (ASSUMED.peak * jobsADay) / DAY_SECONDS;
  const beats = Math.ceil(Math.max(0, ASSUMED.fetchSeconds - FIRST_BEAT_SECONDS) / BEAT_SECONDS);
  const actions = cost.actions + beats;
  const shards = (perSecond * cost.events * ASSUMED.shardWriteSeconds) / ASSUMED.shardUse;
  const cores = (perSecond * cost.processorSeconds) / ASSUMED.use;
  const filesGb = (jobsADay * ASSUMED.fileDays * ASSUMED.fileMb * 1e6) / GB;
  const historiesGb = (jobsADay * ASSUMED.historyDays * cost.historyBytes) / GB;
  return {
    perSecond,
    workers: Math.max(1, Math.ceil((perSecond * ASSUMED.fetchSeconds) / cost.slots)),
    cores,
    eventsPerSecond: perSecond * cost.events,
    actionsPerSecond: perSecond * actions,
    shards: 2 ** Math.max(0, Math.ceil(Math.log2(shards))),
    temporalGb: (jobsADay * ASSUMED.historyDays * cost.temporalBytes) / GB,
    operationsPerSecond: perSecond * cost.operations,
    recordsGb: (jobsADay * ASSUMED.recordDays * cost.recordBytes) / GB,
    filesGb,
    cloudDollars: cloudDollars({ actions: jobsADay * MONTH_DAYS * actions, retainedGb: historiesGb }),
    machineDollars: Math.max(1, Math.ceil(cores)) * ASSUMED.coreDollars,
    fileDollars: filesGb * ASSUMED.bucketDollars,
  };
}

type Needs = ReturnType<typeof needsOf>;

const ROWS: readonly (readonly [what: string, value: (needs: Needs) => number])[] = [
  ['Jobs a second, peak', ({ perSecond }) => perSecond],
  ['Workers', ({ workers }) => workers],
  ['Cores of all processes, peak', ({ cores }) => cores],
  ['Temporal: events a second, peak', ({ eventsPerSecond }) => eventsPerSecond],
  ['Temporal: actions a second, peak', ({ actionsPerSecond }) => actionsPerSecond],
  ['Temporal: history shards, at least', ({ shards }) => shards],
  ['Temporal: PostgreSQL, GB', ({ temporalGb }) => temporalGb],
  ['MongoDB: operations a second, peak', ({ operationsPerSecond }) => operationsPerSecond],
  ['MongoDB: records of a year, GB', ({ recordsGb }) => recordsGb],
  ['Files, GB', ({ filesGb }) => filesGb],
  ['Dollars a month: machines', ({ machineDollars }) => machineDollars],
  ['Dollars a month: files in a bucket', ({ fileDollars }) => fileDollars],
  ['Dollars a month: Temporal Cloud instead', (needs) => needs.cloudDollars],
];

function textOf(cost: JobCost): string {
  const { peak, fetchSeconds, fileMb, fileDays, historyDays, recordDays, use, shardWriteSeconds, shardUse } = ASSUMED;
  const shown = (value: number): string => rounded(value).toLocaleString('en');
  const kib = (bytes: number): string => shown(bytes / 1024);
  const counted = `Counted for short audio with a webhook: ${shown(cost.processorSeconds)} s of processor (Temporal and PostgreSQL ${shown(cost.temporalSeconds)}), ${shown(cost.actions)} actions, ${shown(cost.events)} events, ${kib(cost.historyBytes)} KiB of history (${kib(cost.temporalBytes)} KiB in the files of PostgreSQL), ${shown(cost.operations)} operations and ${kib(cost.recordBytes)} KiB in MongoDB, before compression and indexes.`;
  const assumed = `Assumed: a peak ${shown(peak)} times the mean; downloads of ${shown(fetchSeconds)} s and ${shown(fileMb)} MB, with a heartbeat (an action) after ${shown(FIRST_BEAT_SECONDS)} s and each ${shown(BEAT_SECONDS)} s; ${shown(cost.slots)} slots a worker (\`MAX_FETCHES\`); cores ${shown(100 * use)} % busy; files kept ${shown(fileDays)} days, histories ${shown(historyDays)}, records ${shown(recordDays)}; a shard writes for ${shown(1_000 * shardWriteSeconds)} ms an event, ${shown(100 * shardUse)} % of its time. Longer media cost more.`;
  const formulas = [
    'peak = jobs a day ÷ 86,400 × peak factor',
    'workers = peak × seconds of a download ÷ slots',
    'cores = peak × processor seconds ÷ share in use',
    'shards = peak × events × seconds of a write ÷ share in use, as a power of two; they cannot be changed later: take 512 or more',
    'stored = jobs a day × days kept × bytes of a job',
    'actions a month = 30 × jobs a day × (actions + heartbeats)',
  ];
  const head = ['Jobs a day', ...LOADS.map(shown)];
  const rows = ROWS.map(([what, value]) => [what, ...LOADS.map((load) => shown(value(needsOf(load, cost))))]);
  const table = [head, head.map(() => '-'), ...rows].map((cells) => `|${cells.join('|')}|`).join('\n');
  const money = `Prices: ${CLOUD_PRICES}; a core with 2 GB ${shown(ASSUMED.coreDollars)} dollars a month (AWS Fargate, March 2026); a bucket, assumed, ${shown(ASSUMED.bucketDollars)} a GB. Traffic, the platform's limits and replicas are left out.`;
  const list = formulas.map((one) => `- ${one}`).join('\n');
  return ['## Load model', counted, assumed, list, table, money].join('\n\n');
}
