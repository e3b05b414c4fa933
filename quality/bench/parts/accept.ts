import { join } from 'node:path';
import { ulid } from 'ulid';
import type { ServiceName } from '../../../local/service-process.ts';
import type { Finding, Part, PartOptions } from '../part.ts';
import { atOnce, inTurn, quantile, sum, timed, until } from '../rounds.ts';
import { TASK_QUEUE, withBench, type Bench } from '../service.ts';
import { writeStandIns } from '../stand-ins.ts';

const BURSTS = [1, 40, 50, 500];
/** A burst of one request is repeated, so that it is measured more than once. */
const LEAST_REQUESTS = 50;
const WARM_UP = 50;
const SLOTS = 16;
const SERVICES: readonly { readonly beside: string; readonly services: readonly ServiceName[] }[] = [
  // Nothing but accepting is measured.
  { beside: '', services: ['api'] },
  // Jobs begin while others are being accepted.
  { beside: ', with a worker', services: ['api', 'worker'] },
];
const SUBJECTS = ['different subjects', 'one subject'] as const;
const SHARES = { median: 0.5, p99: 0.99 } as const;
/** A second request for a subject is answered with the running job, or with its result. */
const ACCEPTED = [200, 202, 409];
const IDLE_TIMEOUT_MS = 600_000;

/** Measures the time until a job is accepted. The reference starts a bare workflow and writes one record. */
export const accept: Part = {
  title: 'Accepting jobs',
  run: async ({ dataDir, engine, say, rounds }) => {
    const standIns = await writeStandIns(join(dataDir, 'stand-ins'), 0);
    const env = { ...standIns, VIDNET_MAX_JOBS: String(SLOTS), MAX_FETCHES: String(SLOTS) };
    const findings: Finding[] = [];
    const raw: Record<string, unknown> = {};
    for (const { beside, services } of SERVICES) {
      const folder = join(dataDir, services.join('-'));
      const measured = await withBench({ dataDir: folder, engine, say, services, env }, (bench) =>
        measure(bench, { rounds, say, isWorking: services.includes('worker') }),
      );
      raw[services.join(' and ')] = measured;
      findings.push(...findingsOf(measured, beside));
    }
    return { findings, raw };
  },
};

type Took = Record<(typeof SUBJECTS)[number] | 'bare', number[][]>;
interface Measured {
  readonly bursts: readonly { readonly size: number; readonly took: Took }[];
  /** Requests, by the status that they were refused with. */
  readonly refused: Readonly<Record<string, number>>;
}

async function measure(
  { stack, db, temporal }: Bench,
  { rounds, say, isWorking }: Pick<PartOptions, 'rounds' | 'say'> & { readonly isWorking: boolean },
): Promise<Measured> {
  const bareRecords = db.collection<{ _id: string }>('bare_records');
  const refused: Record<string, number> = {};
  const bare = async (): Promise<void> => {
    const id = ulid();
    await temporal.workflow.start('audio', { workflowId: id, taskQueue: 'nobody', args: [{ id }] });
    await bareRecords.insertOne({ _id: id });
  };
  const ask = async (videoId: string): Promise<void> => {
    const body = JSON.stringify({ vidnet_video_id: videoId });
    const response = await fetch(`${stack.restUrl}/api/downloads/audio`, { method: 'POST', body });
    await response.text();
    if (!ACCEPTED.includes(response.status)) refused[response.status] = (refused[response.status] ?? 0) + 1;
  };
  const newVideo = (): string => ulid().slice(-11);
  // A workflow ends a while after its record.
  const query = `TaskQueue = '${TASK_QUEUE}' AND ExecutionStatus = 'Running'`;
  const isIdle = async (): Promise<boolean> =>
    (await db.collection('records').findOne({ status: 'pending' })) === null &&
    (await temporal.workflow.count(query)).count === 0;
  /** Repeats a burst until there are enough calls. @returns the milliseconds of each call */
  const burstsOf = async (size: number, begin: () => () => Promise<void>): Promise<number[]> => {
    const took: number[] = [];
    while (took.length < LEAST_REQUESTS) {
      if (isWorking) await until(isIdle, { timeoutMs: IDLE_TIMEOUT_MS, what: 'the end of the jobs of a burst' });
      const call = begin();
      took.push(...(await Promise.all(Array.from({ length: size }, () => timed(call)))));
    }
    return took;
  };
  await atOnce(Array.from({ length: WARM_UP }), 1, () => Promise.all([ask(newVideo()), bare()]));
  const bursts: { size: number; took: Took }[] = [];
  for (const size of BURSTS) {
    say(`${String(size)} at once${isWorking ? ', with a worker' : ''}`);
    const took = await inTurn(rounds, {
      'different subjects': () => burstsOf(size, () => () => ask(newVideo())),
      'one subject': () =>
        burstsOf(size, () => {
          const videoId = newVideo();
          return () => ask(videoId);
        }),
      bare: () => burstsOf(size, () => bare),
    });
    bursts.push({ size, took });
  }
  return { bursts, refused };
}

function findingsOf({ bursts, refused }: Measured, beside: string): Finding[] {
  const times = bursts.flatMap(({ size, took }) =>
    SUBJECTS.flatMap((subjects) =>
      Object.entries(SHARES).map(([name, share]): Finding => ({
        what: `${String(size)} at once, ${subjects}${beside}, ${name}`,
        unit: 'ms',
        value: quantile(took[subjects].flat(), share),
        reference: { what: 'bare start and insert', value: quantile(took.bare.flat(), share) },
        isChief: name === 'median' && subjects === 'different subjects' && [40, 500].includes(size),
      })),
    ),
  );
  const refusals = sum(Object.values(refused));
  return [...times, { what: `refused${beside}`, unit: 'requests', value: refusals, isChief: refusals > 0 }];
}
