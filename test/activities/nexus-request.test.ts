import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { beforeEach, expect, it, vi } from 'vitest';
import { createNexusRequestActivities } from '../../activities/nexus-request-activities.ts';
import { LATER } from '../../activities/retry-later.ts';
import type { AcceptedItem } from '../../contract/batches/item-order.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { pendingRecordOf } from '../../contract/job-input.ts';
import { anAudioJob } from '../helpers/jobs.ts';

type Deps = Parameters<typeof createNexusRequestActivities>[0];
const acceptItem = vi.fn<Deps['acceptItem']>();
const cancelItem = vi.fn<Deps['cancelItem']>();
const known = new Map<string, DownloadRecord>();
const activities = createNexusRequestActivities({
  ...{ acceptItem, cancelItem },
  planItem: (request) => Promise.resolve({ request, subjectId: 'audio/dQw4w9WgXcQ', price: 5 }),
  records: { get: (id: string) => Promise.resolve(known.get(id)) } as Deps['records'],
  endIfGone: (record) => Promise.resolve(record),
  rendering: { prices: { listItem: 1, speakerLabelsPerMinute: 6 }, linkTo: () => 'https://example.com/a' },
});
const accept = (recordId: string): Promise<string> => {
  const request = { operation: 'requestAudio', vidnet_video_id: 'dQw4w9WgXcQ', include_webhook: null } as const;
  return new MockActivityEnvironment().run(activities.acceptNexusRequest, { recordId, request });
};

beforeEach(() => {
  vi.resetAllMocks();
  known.clear();
});

it('a repeated attempt finds the job that an earlier one started', async () => {
  const recordId = ulid();
  acceptItem.mockImplementationOnce((order) => {
    const record = pendingRecordOf(anAudioJob({ recordId: order.recordId }));
    known.set(record.id, record);
    return Promise.resolve({ kind: 'accepted', record });
  });
  expect([await accept(recordId), await accept(recordId)]).toEqual([recordId, recordId]);
  expect(acceptItem).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ caller: { kind: 'service' }, recordId, webhookUrl: undefined }),
  );
});

it.each<[AcceptedItem, object]>([
  [{ kind: 'busy' }, { type: LATER, nonRetryable: false }],
  [
    { kind: 'refused', failure: { code: 'unsupported', message: 'No.' } },
    { type: 'unsupported', message: 'No.', nonRetryable: true },
  ],
])('an answer %j ends the attempt', async (answer, failure) => {
  acceptItem.mockResolvedValueOnce(answer);
  await expect(accept(ulid())).rejects.toMatchObject(failure);
});

it('a record that another request started is not cancelled', async () => {
  const own = pendingRecordOf(anAudioJob());
  known.set(own.id, own);
  await activities.cancelNexusJob(ulid());
  expect(cancelItem).not.toHaveBeenCalled();
  await activities.cancelNexusJob(own.id);
  expect(cancelItem).toHaveBeenCalledExactlyOnceWith(own);
});
