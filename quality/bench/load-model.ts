import { z } from 'zod';
import type { ScaleRaw } from './parts/scale.ts';
import { nameOf, type KeptResult } from './results.ts';
import { rounded, sum } from './rounds.ts';
import { recordBytesOf } from './stored.ts';

const LOADS = [1_000, 10_000, 100_000, 1_000_000];
/** These figures are assumed; all others are measured. */
const ASSUMED = {
  /** The busiest hour of a day, divided by the mean hour. */
  peak: 3,
  /** The duration of a download: five minutes of audio over an ordinary connection. */
  fetchSeconds: 30,
  fileMb: 5,
  fileDays: 7,
  historyDays: 1,
  recordDays: 365,
  /** The share of a core's time that is in use. */
  use: 0.5,
  /** A history shard makes its writes one after another; this is the time of one, and the share of time spent on writes. */
  shardWriteSeconds: 0.01,
  shardUse: 0.1,
} as const;
/** The heartbeat times of activities/heartbeat.ts. */
const [FIRST_BEAT_SECONDS, BEAT_SECONDS] = [2, 4];
const DAY_SECONDS = 86_400;
const GB = 1e9;

/** The measured cost of an audio job with a webhook. */
export interface JobCost {
  readonly actions: number;
  readonly events: number;
  readonly operations: number;
  readonly processorSeconds: number;
  /** The part of `processorSeconds` that Temporal's server and its PostgreSQL spent. */
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

/** @returns the Markdown section on what a load needs, or the commands that produce missing results */
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
  // The bench itself wrote this file.
  const scaled = scale.raw as ScaleRaw;
  const secondsOf = (what: string): number => {
    const found = jobs.findings.find((finding) => finding.what === what);
    if (found === undefined) throw new Error(`the results of jobs lack: ${what}`);
    return found.value;
  };
  // The run with the most jobs a minute contains the smallest share of idle work.
  const fastest = scaled.runs.at(-1);
  const { temporal = NaN, postgresql = NaN } = fastest?.processorSeconds ?? {};
  const temporalSeconds = (temporal + postgresql) / (fastest?.jobs ?? NaN);
  return textOf({
    actions: audio.actions - audio.heartbeats,
    events: audio.events,
    operations: sum(Object.values(audio.operations)),
    processorSeconds: secondsOf('processor time of a job') - secondsOf('of that temporal') + temporalSeconds,
    temporalSeconds,
    historyBytes: scaled.histories.bytes / scaled.jobs,
    temporalBytes: scaled.temporalBytes / scaled.jobs,
    recordBytes: recordBytesOf(scaled),
    slots: scaled.slots,
  });
}

export function needsOf(jobsADay: number, cost: JobCost) {
  const perSecond = (ASSUMED.peak * jobsADay) / DAY_SECONDS;
  const beats = Math.ceil(Math.max(0, ASSUMED.fetchSeconds - FIRST_BEAT_SECONDS) / BEAT_SECONDS);
  const actions = cost.actions + beats;
  const shards = (perSecond * cost.events * ASSUMED.shardWriteSeconds) / ASSUMED.shardUse;
  return {
    perSecond,
    workers: Math.max(1, Math.ceil((perSecond * ASSUMED.fetchSeconds) / cost.slots)),
    cores: (perSecond * cost.processorSeconds) / ASSUMED.use,
    eventsPerSecond: perSecond * cost.events,
    actionsPerSecond: perSecond * actions,
    shards: 2 ** Math.max(0, Math.ceil(Math.log2(shards))),
    temporalGb: (jobsADay * ASSUMED.historyDays * cost.temporalBytes) / GB,
    operationsPerSecond: perSecond * cost.operations,
    recordsGb: (jobsADay * ASSUMED.recordDays * cost.recordBytes) / GB,
    filesGb: (jobsADay * ASSUMED.fileDays * ASSUMED.fileMb * 1e6) / GB,
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
];

function textOf(cost: JobCost): string {
  const { peak, fetchSeconds, fileMb, fileDays, historyDays, recordDays, use, shardWriteSeconds, shardUse } = ASSUMED;
  const shown = (value: number): string => rounded(value).toLocaleString('en');
  const kib = (bytes: number): string => shown(bytes / 1024);
  const counted = `Counted for short audio with a webhook: ${shown(cost.processorSeconds)} s of processor (Temporal and PostgreSQL ${shown(cost.temporalSeconds)}), ${shown(cost.actions)} actions, ${shown(cost.events)} events, ${kib(cost.historyBytes)} KiB of history (${kib(cost.temporalBytes)} KiB in the files of PostgreSQL), ${shown(cost.operations)} operations and ${kib(cost.recordBytes)} KiB in MongoDB, before compression and indexes.`;
  const assumed = `Assumed: a peak ${shown(peak)} times the mean; downloads of ${shown(fetchSeconds)} s and ${shown(fileMb)} MB, with a heartbeat (an action) after ${shown(FIRST_BEAT_SECONDS)} s and each ${shown(BEAT_SECONDS)} s; ${shown(cost.slots)} slots a worker (\`MAX_FETCHES\`); cores ${shown(100 * use)} % busy; files kept ${shown(fileDays)} days, histories ${shown(historyDays)}, records ${shown(recordDays)}; a shard writes for ${shown(1_000 * shardWriteSeconds)} ms an event, ${shown(100 * shardUse)} % of its time.`;
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
  const leftOut = "Traffic, the platform's limits and replicas are left out.";
  const list = formulas.map((one) => `- ${one}`).join('\n');
  return ['## Load model', counted, assumed, list, table, leftOut].join('\n\n');
}
