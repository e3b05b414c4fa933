import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { atOnce, quantile } from '../../quality/bench/rounds.ts';
import { writeStandIns } from '../../quality/bench/stand-ins.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const WAITING = 5_000;
const SLOTS = 4;
const FETCH_SECONDS = 2;
const INTERACTIVE = 20;

let folder: string;
let service: TestService;
let connection: Connection;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-waiting-'));
  const standIns = await writeStandIns(folder, FETCH_SECONDS);
  // Each run of the program that fetches notes its begin and its end, with the URL.
  const program = await readFile(standIns.YTDLP_PATH, 'utf8');
  const note = (what: string) => `for last; do :; done; echo "${what} $(/bin/date +%s%3N) $last" >> ${folder}/runs`;
  await writeFile(standIns.YTDLP_PATH, program.replace('/bin/sleep', `${note('begin')}\n/bin/sleep`) + note('end'));
  await appendFile(join(folder, 'runs'), '');
  service = await TestService.start({
    ownEngines: true,
    env: {
      ...standIns,
      VIDNET_MAX_JOBS: String(SLOTS),
      MAX_FETCHES: String(SLOTS),
      VIDNET_STARTS_PER_MINUTE: '100000',
    },
  });
  connection = await Connection.connect({ address: service.stack.env['TEMPORAL_ADDRESS']! });
}, 300_000);
afterAll(async () => {
  await connection.close();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Fetch {
  /** When the activity began to wait for a slot. */
  readonly queuedMs: number;
  readonly startedMs: number;
  readonly endedMs: number;
}

/** @returns undefined until it has ended */
async function fetchOf(workflowId: string): Promise<Fetch | undefined> {
  const { events } = await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory();
  const at = (name: 'Scheduled' | 'Started' | 'Completed'): number => {
    const time = events?.find((event) => event[`activityTask${name}EventAttributes`])?.eventTime;
    return Number(time?.seconds) * 1000 + (time?.nanos ?? 0) / 1e6;
  };
  const fetch = { queuedMs: at('Scheduled'), startedMs: at('Started'), endedMs: at('Completed') };
  return Number.isNaN(fetch.endedMs) ? undefined : fetch;
}

async function runs(): Promise<readonly { what: string; ms: number; url: string }[]> {
  const lines = (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n');
  return lines.map((line) => {
    const [what = '', ms, url = ''] = line.split(' ');
    return { what, ms: Number(ms), url };
  });
}

it(
  `an interactive request starts in the next free slot although ${String(WAITING)} bulk jobs wait`,
  { timeout: 40 * 60_000 },
  async () => {
    const request = async (priority: string): Promise<string> => {
      const video = ulid().slice(-11);
      const body = { vidnet_video_id: video, priority };
      const { status } = await service.request('POST', '/api/downloads/audio', { body });
      expect(status).toBe(202);
      return video;
    };
    // Jobs that end meanwhile are replaced, so that the intended number of jobs waits.
    const ended = async () => (await runs()).filter(({ what }) => what === 'end').length;
    let accepted = 0;
    while (accepted < WAITING + SLOTS + (await ended())) {
      const more = WAITING + SLOTS + (await ended()) - accepted;
      await atOnce(Array.from({ length: more }), 16, () => request('bulk'));
      accepted += more;
    }
    const interactive: { readonly video: string; readonly sentMs: number }[] = [];
    for (let count = 0; count < INTERACTIVE; count += 1) {
      const sentMs = Date.now();
      const video = await request('interactive');
      interactive.push({ video, sentMs });
      const hasStarted = async () => (await runs()).some(({ what, url }) => what === 'begin' && url.includes(video));
      await until(hasStarted, { within: 120_000, what: 'the start of the interactive job' });
    }
    const left = accepted - (await ended());
    // Histories name the starts of activities when these have ended.
    const lately = (await runs()).filter(({ what, ms }) => what === 'begin' && ms >= interactive[0]!.sentMs - 10_000);
    const fetches = new Map<string, Fetch>();
    for (const { url } of lately) {
      const video = new URL(url).searchParams.get('v') ?? '';
      fetches.set(video, await until(() => fetchOf(`audio/${video}`), { within: 120_000, what: 'the end of a fetch' }));
    }
    const all = [...fetches.values()];
    const seen = interactive.map(({ video, sentMs }) => {
      const own = fetches.get(video)!;
      const frees = all.map(({ endedMs }) => endedMs).filter((ms) => ms >= own.queuedMs && ms <= own.startedMs);
      // Without an end since then, a slot was free.
      const freeMs = Math.min(...frees, frees.length === 0 ? own.queuedMs : Infinity);
      const overtaking = all.filter(({ startedMs }) => startedMs > freeMs && startedMs < own.startedMs).length;
      return { accepting: own.queuedMs - sentMs, waiting: own.startedMs - freeMs, overtaking };
    });
    const figures = (name: keyof (typeof seen)[number]) => {
      const values = seen.map((one) => one[name]);
      return `median ${quantile(values, 0.5).toFixed(0)}, most ${Math.max(...values).toFixed(0)}`;
    };
    process.stdout.write(
      `${String(left)} jobs left; ms from the request to the queue: ${figures('accepting')}; ` +
        `ms from the free slot to the start: ${figures('waiting')}; bulk jobs that started meanwhile: ${figures('overtaking')}\n`,
    );
    expect(left).toBeGreaterThan(WAITING / 2);
    // A slot that became free may have been given to a bulk job in the same moment.
    for (const { overtaking } of seen) expect(overtaking).toBeLessThanOrEqual(1);
    const waits = seen.map(({ waiting }) => waiting);
    expect(quantile(waits, 0.5)).toBeLessThanOrEqual(1_000 * FETCH_SECONDS);
  },
);
