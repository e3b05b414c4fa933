import type { Client } from '@temporalio/client';
import { ulid } from 'ulid';
import { expect, it, vi } from 'vitest';
import { createDeliveryGateway } from '../../api/workflow-gateways.ts';
import { pendingRecordOf } from '../../contract/job-input.ts';
import { anAudioJob } from '../helpers/jobs.ts';

const start = vi.fn<Client['workflow']['start']>();
const client = {
  connection: { withDeadline: <Result>(_: number, body: () => Result) => body() },
  workflow: { start },
} as unknown as Client;
const gateway = createDeliveryGateway(client, 'a-queue');

function started(): { args: unknown; attributes: Record<string, unknown> } {
  const { args, typedSearchAttributes = [] } = start.mock.lastCall?.[1] ?? {};
  const pairs = Array.isArray(typedSearchAttributes) ? typedSearchAttributes : [];
  return { args, attributes: Object.fromEntries(pairs.map(({ key, value }) => [key.name, value])) };
}

it('a delivery that the api starts has the search attributes of its job, and no record as input', async () => {
  const job = anAudioJob({ startedBy: 'service' });
  const { recordId, mediaId } = job;
  const round = { deliveryId: `webhook/${recordId}/1`, recordId, url: 'https://hooks.example.com/h', firstAttempt: 5 };
  const subscribedBy = ['0123456789abcdef'];
  await gateway.start({ ...round, subscribedBy, record: pendingRecordOf(job) });
  const found = {
    ...{ TapedeckType: 'audio', TapedeckMediaId: mediaId, TapedeckPlatform: 'vidnet', TapedeckDownloadId: recordId },
    TapedeckWebhookHost: 'hooks.example.com',
  };
  expect(started()).toEqual({
    args: [{ ...round, subscribedBy }],
    attributes: { ...found, TapedeckCaller: '0123456789abcdef' },
  });
  // The subscriber is not known.
  await gateway.start({ ...round, record: pendingRecordOf(job) });
  expect(started().attributes).toEqual({ ...found, TapedeckCaller: 'service' });
});

it('a delivery of a removed record has its download and host as search attributes', async () => {
  const recordId = ulid();
  const url = 'https://hooks.example.com/h';
  await gateway.start({ deliveryId: `webhook/${recordId}/1`, recordId, url, firstAttempt: 2, record: undefined });
  expect(started().attributes).toEqual({ TapedeckDownloadId: recordId, TapedeckWebhookHost: 'hooks.example.com' });
});
