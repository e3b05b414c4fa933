import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createJobGateway } from '../../../api/job-gateway.ts';
import type { ChannelLook } from '../../../activities/channel.ts';
import { channelPathOf, channelReferenceOf } from '../../../contract/urls/channel-urls.ts';
import type { ChannelJob } from '../../../contract/kinds/channel.ts';
import { channelSubjectOf } from '../../../store/records/channel-subjects.ts';
import { registerSearchAttributes } from '../../../runtime/temporal/search-attributes.ts';
import { breakersOn } from '../../helpers/breakers.ts';
import { workflowBench } from '../../helpers/workflow-bench.ts';

const { connection, withService } = workflowBench('real');
beforeAll(() => registerSearchAttributes(connection(), 'default'));

/** Two letters out of four bytes each, and one that becomes three by its normal form. */
const LETTERS = ['𠀀', '𐐨', '\u{FB2C}'];

describe('a channel whose name is as long as it may be', () => {
  it.each(LETTERS)('of %s is a job that Temporal takes', async (letter) => {
    const name = letter.repeat(100 - 8) + randomUUID().slice(0, 8);
    const channel = channelReferenceOf(`https://www.youtube.com/user/${encodeURIComponent(name)}`)!;
    const mediaId = channelPathOf(channel);
    const job: ChannelJob = {
      ...{
        version: 1,
        startedBy: 'anonymous',
        recordId: ulid(),
        type: 'list',
        mediaId,
        subjectId: channelSubjectOf(channel),
        price: 10,
      },
      ...{ createdAt: '2026-11-21T09:30:00.123456Z', parameters: { channel } },
    };
    const describeChannel = vi.fn<() => Promise<ChannelLook>>().mockResolvedValue({ channelId: 'UC1' });
    const activities = {
      records: { claimJob: () => Promise.resolve('claimed' as const), finishJob: () => Promise.resolve() },
      fetch: { describeChannel, listChannel: () => Promise.resolve({}) },
    };
    await withService({ activities }, async (client, taskQueue) => {
      expect(await createJobGateway(client, taskQueue, breakersOn()).start('channel', job)).toBe('started');
      await client.workflow.getHandle(job.subjectId).result();
    });
    expect(describeChannel).toHaveBeenCalledOnce();
  });
});
