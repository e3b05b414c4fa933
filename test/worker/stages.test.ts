import { ApplicationFailure, defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { Info } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { toApplicationFailure } from '../../activities/to-application-failure.ts';
import type { FinishedJob } from '../../activities/job-records.ts';
import { JobError } from '../../runtime/job-error.ts';
import { JOB_HEADER } from '../../runtime/telemetry/trace-headers.ts';
import { watchStages, type Stage } from '../../worker/activity-log.ts';

const facts = { requestId: 'order-7', mediaId: 'kX3vQ9mTz0A', caller: '0123456789abcdef' };
const headersOf = (told: unknown): Headers => ({ [JOB_HEADER]: defaultPayloadConverter.toPayload(told) });

/** What is told of an attempt. */
async function told(
  work: () => Promise<unknown>,
  { headers = headersOf(facts), args = [{}] }: { headers?: Headers; args?: unknown[] } = {},
): Promise<Stage> {
  const stages: Stage[] = [];
  const info = { activityType: 'fetchAudio', activityId: 'vidnet#1', taskQueue: 'q', attempt: 1 } as Info;
  const { inbound } = watchStages((stage) => stages.push(stage))({ info } as never);
  await inbound!.execute!({ args, headers }, work).catch(() => undefined);
  expect(stages).toHaveLength(1);
  return stages[0]!;
}

it('a stage tells whose job it is, and the bytes that it or its job has made', async () => {
  const files = [1, 2].map((sizeBytes) => ({ name: 'a.m4a', sizeBytes, sha256: '' }));
  expect(await told(() => Promise.resolve({ files }))).toMatchObject({ ...facts, outcome: 'ok', bytes: 3 });
  const ended = { recordId: '1', price: 5, outcome: { status: 'success', result: { files } } } satisfies FinishedJob;
  expect(await told(() => Promise.resolve(), { args: [ended] })).toMatchObject({ bytes: 3 });
  expect(await told(() => Promise.resolve('delivered'))).not.toHaveProperty('bytes');
});

it('one that has failed tells why, and not more than a line holds', async () => {
  const refused = () => Promise.reject(toApplicationFailure(new JobError('private', 'It is private.')));
  expect(await told(refused)).toMatchObject({ ...facts, outcome: 'private', failure: 'It is private.' });
  const { failure } = await told(() => Promise.reject(new Error('x'.repeat(100_000))));
  expect(failure).toHaveLength(1_000);
});

it('what somebody else wrote into the header is left out, and so are files of what is refused', async () => {
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
    const stage = await told(refuse, { headers, args });
    expect(stage).toMatchObject({ outcome: 'error', failure: 'wrong' });
    for (const name of ['requestId', 'mediaId', 'caller', 'bytes']) expect(stage).not.toHaveProperty(name);
  }
});
