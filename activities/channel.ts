import type { DownloadRecord, JobResult, SuccessRecord } from '../contract/download-record.ts';
import { channelReferenceOf, type ChannelReference } from '../contract/urls/channel-urls.ts';
import type { ChannelFacts } from '../contract/kinds/channel.ts';
import type { ChannelSource } from '../sources/vidnet/channel-source.ts';
import { channelSubjectOf } from '../store/records/channel-subjects.ts';
import type { ContentsStore } from '../store/records/contents-store.ts';
import type { FileStore } from '../store/files/file-store.ts';
import type { RecordStore } from '../store/records/record-store.ts';
import { isReusable } from '../store/records/is-reusable.ts';
import { listChannelVideos } from './channel-listing.ts';
import { retryLater } from './retry-later.ts';
import { withSourceCall, type SourceCallDeps } from './source-call.ts';
import { titled } from './record-title.ts';

export interface ChannelDeps extends SourceCallDeps {
  readonly channels: ChannelSource;
  readonly contents: ContentsStore;
  readonly records: RecordStore;
  readonly files: FileStore;
  /** Whether a workflow with this ID is open. */
  readonly isOpen: (workflowId: string) => Promise<boolean>;
}

/**
 * The channel of a request. `known`: the result of another job that is fresh. `heldBy`: the subject ID of another job that is
 * listing it.
 */
export interface ChannelLook {
  readonly channelId: string;
  readonly known?: JobResult;
  readonly heldBy?: string;
}

export function createChannelActivities(deps: ChannelDeps) {
  const isGood = async (record: DownloadRecord): Promise<boolean> => isReusable(record, deps.files);
  return {
    /**
     * Identifies the requested channel and stores its facts. All names of a channel become one subject, so that a channel
     * that is requested by its handle and by its ID is fetched once, even at the same time.
     */
    describeChannel: (job: { recordId: string; subjectId: string; channel: ChannelReference }): Promise<ChannelLook> =>
      withSourceCall(deps, job.recordId, async (call) => {
        call.report({ stage: 'fetching' });
        const { facts, handle } = await deps.channels.describe(job.channel, call);
        const channelId = facts.vidnet_id;
        const canonicalId = channelSubjectOf({ kind: 'id', name: channelId });
        for (const name of namesOf(handle, job.subjectId)) {
          if (name !== canonicalId) await deps.records.noteSameAs(name, canonicalId);
        }
        await deps.contents.putFacts(job.recordId, facts);
        const success = await deps.records.successOf(canonicalId);
        const known = success !== undefined && (await isGood(success)) ? success : undefined;
        const other =
          known ??
          (await deps.records.claimFetching(canonicalId, job.recordId, async (record) =>
            record.status === 'pending' ? deps.isOpen(record.subjectId) : isGood(record),
          ));
        if (other === undefined || other.id === job.recordId) return { channelId };
        return other.status === 'success'
          ? { channelId, known: { ...contentsOf(other, channelId), ...titled(facts.title) } }
          : { channelId, heldBy: other.subjectId };
      }),

    /** Lists the videos of a described channel page by page. A retry continues where the earlier attempt stopped. */
    listChannel: (job: { recordId: string }): Promise<JobResult> =>
      withSourceCall(deps, job.recordId, async (call) => {
        const channel = await deps.contents.facts<ChannelFacts>(job.recordId);
        if (channel === undefined) throw new Error(`the channel of record ${job.recordId} was not described`);
        const { pieces, items } = await listChannelVideos({ ...deps, recordId: job.recordId, channel, call });
        return { mediaId: channel.vidnet_id, lists: { videos: { pieces, items } }, ...titled(channel.title) };
      }),
  };
}

export function createListingWaits({ isOpen }: Pick<ChannelDeps, 'isOpen'>) {
  return {
    /** Polls once whether the job that lists a channel has ended. Until then it fails with a retry delay. */
    async awaitOtherListing(subjectId: string): Promise<void> {
      if (await isOpen(subjectId)) throw retryLater('upstream_timeout', 'Another job lists this channel.');
    },
  };
}

function contentsOf(known: SuccessRecord, channelId: string): JobResult {
  return { contentsOf: known.contentsOf ?? known.id, lists: known.lists ?? {}, mediaId: channelId, charge: 0 };
}

function namesOf(handle: string | undefined, requested: string): readonly string[] {
  const reference = handle === undefined ? undefined : channelReferenceOf(handle);
  return reference === undefined ? [requested] : [requested, channelSubjectOf(reference)];
}
