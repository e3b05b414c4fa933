import { ApplicationFailure, defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { Info } from '@temporalio/activity';
import { ulid } from 'ulid';
import { expect, it } from 'vitest';
import { toApplicationFailure } from '../../activities/to-application-failure.ts';
import type { FinishedJob } from '../../activities/job-records.ts';
import { JobError } from '../../runtime/job-error.ts';
import { JOB_HEADER } from '../../runtime/telemetry/trace-headers.ts';
import { watchStages, type Stage } from '../../worker/activity-log.ts';

const facts = { requestId: 'order-7', mediaId: 'kX3vQ9mTz0A', caller: '0123456789abcdef' };
const headersOf = (value: unknown): Headers => ({ [JOB_HEADER]: defaultPayloadConverter.toPayload(value) });

/** @returns what is reported of one attempt */
async function stageOf(
  work: () => Promise<unknown>,
  {
    headers = headersOf(facts),
    args = [{}],
    activityType = 'fetchAudio',
  }: { headers?: Headers; args?: unknown[]; activityType?: string } = {},
): Promise<Stage> {
  const stages: Stage[] = [];
  const info = { activityType, activityId: 'vidnet#1', taskQueue: 'q', attempt: 1 } as Info;
  const { inbound } = watchStages((stage) => stages.push(stage))({ info } as never);
  await inbound!.execute!({ args, headers }, work).catch(() => undefined);
  expect(stages).toHaveLength(1);
  return stages[0]!;
}

it('reports the job of an attempt and the bytes of its files', async () => {
  const files = [1, 2].map((sizeBytes) => ({ name: 'a.m4a', sizeBytes, sha256: '' }));
  expect(await stageOf(() => Promise.resolve({ files }))).toMatchObject({ ...facts, outcome: 'ok', bytes: 3 });
  const ended = { recordId: '1', price: 5, outcome: { status: 'success', result: { files } } } satisfies FinishedJob;
  expect(await stageOf(() => Promise.resolve(), { args: [ended] })).toMatchObject({ bytes: 3 });
  expect(await stageOf(() => Promise.resolve('delivered'))).not.toHaveProperty('bytes');
});

it('reports the status, the failure code and the charge of a job only when finishJob has succeeded', async () => {
  const finish = (work: () => Promise<unknown>, outcome: FinishedJob['outcome']) =>
    stageOf(work, { activityType: 'finishJob', args: [{ recordId: ulid(Date.now() - 5_000), price: 1_500, outcome }] });
  const failed = { status: 'failed', failure: { code: 'private', message: 'It is private.' } } as const;
  const done = () => Promise.resolve();
  const lost = () => Promise.reject(new Error('The database is away.'));

  const success = await finish(done, { status: 'success', result: {} });
  expect(success).toMatchObject({ ...facts, jobStatus: 'success', charge: '1.500' });
  expect(success.jobSeconds).toBeGreaterThanOrEqual(5);
  expect(success).not.toHaveProperty('code');
  expect(await finish(done, { status: 'success', result: { charge: 500 } })).toMatchObject({ charge: '0.500' });
  expect(await finish(done, failed)).toMatchObject({ ...facts, jobStatus: 'failed', code: 'private' });
  expect(await finish(lost, failed)).not.toHaveProperty('jobStatus');
  expect(await stageOf(done)).not.toHaveProperty('jobStatus');
});

it('reports the message of a failure, cut to a maximum length', async () => {
  const refused = () =>
    Promise.reject(toApplicationFailure(new JobError({ code: 'private', message: 'It is private.' })));
  expect(await stageOf(refused)).toMatchObject({ ...facts, outcome: 'private', failure: 'It is private.' });
  const { failure } = await stageOf(() => Promise.reject(new Error('x'.repeat(100_000))));
  expect(failure).toHaveLength(1_000);
});

it('leaves out invalid header fields, and the files of an input that was refused', async () => {
  const files = [null];
  const args = [{ outcome: { status: 'success', result: { files } } }];
  const refuse = () => Promise.reject(ApplicationFailure.nonRetryable('wrong', 'invalid-input'));
  const wrong = { requestId: 'a\nb', mediaId: 7, caller: 'x'.repeat(10_000), outcome: 'ok' };
  for (const headers of [
    headersOf(wrong),
    headersOf(null),
    headersOf('text'),
    { [JOB_HEADER]: { data: Buffer.from('{') } },
    {},
  ]) {
    const stage = await stageOf(refuse, { headers, args });
    expect(stage).toMatchObject({ outcome: 'error', failure: 'wrong' });
    for (const name of ['requestId', 'mediaId', 'caller', 'bytes']) expect(stage).not.toHaveProperty(name);
  }
});
