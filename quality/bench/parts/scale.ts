import { cpus } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { startServiceProcess } from '../../../local/service-process.ts';
import { startEndings } from '../endings.ts';
import type { Finding, Part, PartOptions } from '../part.ts';
import { differenceOf, processorTimeOf, type ProcessorTime } from '../processor-time.ts';
import { atOnce, sum, timed } from '../rounds.ts';
import { withBench, type Bench } from '../service.ts';
import { writeStandIns } from '../stand-ins.ts';
import { bytesBelow, collectionsOf, historiesOf, recordBytesOf, type Collection, type Histories } from '../stored.ts';

const NUMBERS = [1, 2, 4];
/** Open jobs for each slot, so that no slot waits for a caller. */
const OPEN_PER_SLOT = 2;
const WARM_UP_PER_SLOT = 1;
const PROGRESS_LINES = 10;
const GRACE_MS = 20_000;
const KIB = 1024;

export interface ScaleRun {
  readonly workers: number;
  readonly jobs: number;
  readonly failed: number;
  readonly jobsPerMinute: number;
  /** The cores in use on the whole machine. They show whether jobs waited for the processor. */
  readonly coresInUse: number;
  readonly processorSeconds: ProcessorTime;
}

export interface ScaleRaw {
  /** Slots for jobs in each worker. */
  readonly slots: number;
  readonly fetchSeconds: number;
  readonly runs: readonly ScaleRun[];
  readonly histories: Histories;
  readonly collections: Readonly<Record<string, Collection>>;
  readonly jobs: number;
  /** The growth of the files of Temporal's database. */
  readonly temporalBytes: number;
}

/** Measures jobs with webhooks on 1, 2 and 4 workers. Stand-ins replace the download tools. */
export const scale: Part = {
  title: 'Many jobs through 1, 2 and 4 workers',
  run: async ({ dataDir, engine, say, scaleJobs, slots, fetchSeconds }) => {
    const standIns = await writeStandIns(join(dataDir, 'stand-ins'), fetchSeconds);
    const most = String(slots * Math.max(...NUMBERS));
    // The stack sets up speech only for its own workers.
    const env = { ...standIns, VIDNET_MAX_JOBS: most, MAX_FETCHES: String(slots) };
    return withBench({ dataDir, engine, say, services: ['api'], env }, async (bench) => {
      const bytesBefore = await bytesBelow(bench.temporalData);
      const runs: ScaleRun[] = [];
      const ofAll = sum(NUMBERS);
      for (const workers of NUMBERS) {
        // All runs take equally long if the service scales with its workers.
        const jobs = Math.round((scaleJobs * workers) / ofAll);
        runs.push(await run(bench, { workers, dataDir, slots, jobs, say }));
      }
      const warmUp = ofAll * slots * WARM_UP_PER_SLOT;
      const raw: ScaleRaw = {
        ...{ slots, fetchSeconds, runs, jobs: warmUp + sum(runs.map(({ jobs }) => jobs)) },
        histories: await historiesOf(bench.temporal),
        collections: await collectionsOf(bench.db),
        temporalBytes: (await bytesBelow(bench.temporalData)) - bytesBefore,
      };
      return { findings: findingsOf(raw), raw };
    });
  },
};

interface RunOptions extends Pick<PartOptions, 'dataDir' | 'slots' | 'say'> {
  readonly workers: number;
  readonly jobs: number;
}

async function run(bench: Bench, { workers, dataDir, slots, jobs, say }: RunOptions): Promise<ScaleRun> {
  const endings = await startEndings();
  const open = workers * slots * OPEN_PER_SLOT;
  const runJobs = async (number: number, tell: (done: number) => void): Promise<number> => {
    let [done, failed] = [0, 0];
    await atOnce(Array.from({ length: number }), open, async () => {
      const { id } = await bench.requestAudio(ulid().slice(-11), endings.url);
      if (!(await endings.of(id))) failed += 1;
      done += 1;
      tell(done);
    });
    return failed;
  };
  try {
    return await withWorkers({ bench, number: workers, dataDir }, async (pids) => {
      await runJobs(workers * slots * WARM_UP_PER_SLOT, () => undefined);
      const spent = (): ProcessorTime =>
        processorTimeOf([...bench.processes(), ...pids().map((pid) => ({ name: 'worker', pid }))]);
      const [spentBefore, busyBefore, begunMs] = [spent(), busySeconds(), performance.now()];
      const every = Math.max(1, Math.floor(jobs / PROGRESS_LINES));
      const perMinute = (done: number): number => (60_000 * done) / (performance.now() - begunMs);
      let failed = 0;
      const tookMs = await timed(async () => {
        failed = await runJobs(jobs, (done) => {
          if (done % every === 0) {
            say(`${manned({ workers })}: ${String(done)} jobs, ${perMinute(done).toFixed(0)} a minute`);
          }
        });
      });
      return {
        ...{ workers, jobs, failed },
        jobsPerMinute: (60_000 * jobs) / tookMs,
        coresInUse: (1_000 * (busySeconds() - busyBefore)) / tookMs,
        processorSeconds: differenceOf(spent(), spentBefore),
      };
    });
  } finally {
    await endings.stop();
  }
}

/** Runs a body with a number of workers. @param body gets a function that returns their process IDs */
async function withWorkers<Result>(
  { bench, number, dataDir }: { readonly bench: Bench; readonly number: number; readonly dataDir: string },
  body: (pids: () => number[]) => Promise<Result>,
): Promise<Result> {
  const settings = { name: 'worker', env: bench.stack.env, healthUrl: undefined, log: () => undefined } as const;
  const started = await Promise.all(
    Array.from({ length: number }, (_, index) =>
      startServiceProcess({ ...settings, output: { dir: join(dataDir, `worker-${String(index)}`) } }),
    ),
  );
  try {
    return await body(() => started.flatMap((worker) => worker.pid() ?? []));
  } finally {
    await Promise.all(started.map((worker) => worker.stop(GRACE_MS)));
  }
}

const manned = ({ workers }: Pick<ScaleRun, 'workers'>): string =>
  `${String(workers)} worker${workers === 1 ? '' : 's'}`;

function busySeconds(): number {
  return sum(cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq)) / 1_000;
}

function findingsOf(raw: ScaleRaw): Finding[] {
  const { runs, jobs, histories, temporalBytes } = raw;
  const [first, ...others] = runs;
  const rates = others.map((one): Finding => {
    const what = `${String(one.jobs)} jobs, ${manned(one)}`;
    const reference = { what: '1 worker', value: first?.jobsPerMinute ?? NaN };
    return { what, unit: '1/min', value: one.jobsPerMinute, isChief: true, reference };
  });
  const costs = runs.flatMap((one): Finding[] => {
    const names = Object.entries(one.processorSeconds);
    const all = sum(names.map(([, seconds]) => seconds));
    return [
      { what: `${manned(one)}: cores in use`, unit: '', value: one.coresInUse },
      { what: `${manned(one)}: processor time of a job`, unit: 's', value: all / one.jobs },
      // Stand-ins only spend the time that starting them takes.
      ...names.map(([name, seconds]) => ({
        what: `of that ${name === 'ffmpeg and ffprobe' ? 'stand-ins' : name}`,
        unit: 's',
        value: seconds / one.jobs,
      })),
    ];
  });
  const failures = sum(runs.map(({ failed }) => failed));
  return [
    ...rates,
    { what: 'jobs that failed', unit: '', value: failures, isChief: failures > 0 },
    ...costs,
    { what: 'history of a job', unit: 'events', value: histories.events / jobs },
    { what: 'history of a job', unit: 'KiB', value: histories.bytes / jobs / KIB },
    {
      what: 'actions of a job, without heartbeats',
      unit: '',
      value: (histories.actionsEach * histories.workflows) / jobs,
    },
    { what: "files of Temporal's database for a job", unit: 'KiB', value: temporalBytes / jobs / KIB },
    { what: 'records of a job', unit: 'KiB', value: recordBytesOf(raw) / KIB },
  ];
}
