import { setTimeout as delay } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { z } from 'zod';
import { parseJson } from '../../runtime/parse-json.ts';
import type { JobRequest } from '../hostile/caller.ts';
import { sum } from './rounds.ts';

/** A job that takes longer is given up, and counts as if it had taken so long. */
const JOB_TIMEOUT_MS = 60_000;
const REPEAT_MS = 250;
const PROBE_EVERY_MS = 100;
/** A probe that fails counts as if it had taken so long. */
const PROBE_TIMEOUT_MS = 10_000;

/** Times that an ordinary caller measures, in milliseconds. */
export interface Measured {
  /** From the request to the end of the job. */
  readonly job: number;
  /** From then to the event that says so; undefined for a job that did not succeed in time. */
  readonly event: number | undefined;
  /** Mean of all requests to `/live` meanwhile, which begin at fixed times: a stall counts by how long it lasts. */
  readonly live: number;
}

export interface OrdinaryCaller {
  readonly restUrl: string;
  readonly authorization: string;
  readonly records: Collection<{ _id: string; status: string; finishedAt: string }>;
}

const jobSchema = z.object({ data: z.object({ id: z.string() }) });
const ENDED = /"status":"(?:success|failed)"/;

/** Runs one small job and follows it by its events, as a caller does who comes again after a refusal. */
export async function measureCaller(caller: OrdinaryCaller, request: JobRequest): Promise<Measured> {
  const probes = probeRegularly(`${caller.restUrl}/live`);
  const begunMs = Date.now();
  const signal = AbortSignal.timeout(JOB_TIMEOUT_MS);
  try {
    const id = await again(signal, () => accepted(caller, request, signal));
    const notifiedMs = await again(signal, () => ended(caller, id, signal));
    const record = await caller.records.findOne({ _id: id });
    if (record?.status !== 'success') throw new Error(`job ${id} failed`);
    const finishedMs = Date.parse(record.finishedAt);
    return { job: finishedMs - begunMs, event: notifiedMs - finishedMs, live: await probes.stop() };
  } catch (error) {
    if (!signal.aborted) throw error;
    return { job: JOB_TIMEOUT_MS, event: undefined, live: await probes.stop() };
  } finally {
    await probes.stop();
  }
}

async function again<Value>(signal: AbortSignal, attempt: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await attempt().catch(() => undefined);
    if (value !== undefined) return value;
    await delay(REPEAT_MS, undefined, { signal });
  }
}

async function accepted(
  { restUrl, authorization }: OrdinaryCaller,
  { path, body }: JobRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  const init = { method: 'POST', headers: { authorization }, body: JSON.stringify(body), signal };
  const response = await fetch(restUrl + path, init);
  return jobSchema.safeParse(parseJson(await response.text())).data?.data.id;
}

/** @returns when the event of the end arrived, in milliseconds since 1970; undefined when the stream broke off before */
async function ended(
  { restUrl, authorization }: OrdinaryCaller,
  id: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const response = await fetch(`${restUrl}/api/downloads/${id}/events`, { headers: { authorization }, signal });
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (ENDED.test(text)) return Date.now();
  }
  return undefined;
}

function probeRegularly(url: string) {
  const probes: Promise<number>[] = [];
  const isLive = async (): Promise<boolean> => {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await response.text();
    return response.ok;
  };
  const probe = async (): Promise<number> => {
    const begunMs = performance.now();
    const isAnswered = await isLive().catch(() => false);
    return isAnswered ? performance.now() - begunMs : PROBE_TIMEOUT_MS;
  };
  const timer = setInterval(() => probes.push(probe()), PROBE_EVERY_MS);
  return {
    async stop(): Promise<number> {
      clearInterval(timer);
      const took = await Promise.all(probes);
      return sum(took) / took.length;
    },
  };
}
