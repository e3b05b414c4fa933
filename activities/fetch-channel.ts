import type { JobResult } from '../contract/records.ts';
import { subjectIdOf } from '../contract/subjects.ts';
import { channelPathOf, channelReferenceOf } from '../contract/channels.ts';
import type { ChannelFacts, ChannelReference } from '../contract/vidnet.ts';
import type { ChannelSource } from '../sources/vidnet/channel-source.ts';
import type { ContentsStore } from '../store/contents.ts';
import type { FileStore } from '../store/files.ts';
import type { RecordStore } from '../store/records.ts';
import { isReusable } from '../store/reuse.ts';
import { listChannelVideos } from './channel-listing.ts';
import { withSourceCall, type SourceCallDeps } from './source-call.ts';

export interface ChannelDeps extends SourceCallDeps {
  readonly channels: ChannelSource;
  readonly contents: ContentsStore;
  readonly records: RecordStore;
  readonly files: FileStore;
}

/** What is known of a channel after the first look: `known` when another job had it whole, a moment ago. */
export interface ChannelLook {
  readonly channelId: string;
  readonly known?: JobResult;
}

export function createChannelActivities(deps: ChannelDeps) {
  return {
    /**
     * Finds out which channel is meant, and its facts. The names by which it goes become one subject, so that a channel
     * asked for by its handle and by its id is fetched once.
     */
    describeChannel: (job: { recordId: string; subjectId: string; channel: ChannelReference }): Promise<ChannelLook> =>
      withSourceCall(deps, job.recordId, async (call) => {
        call.report({ stage: 'fetching' });
        const facts = await deps.channels.describe(job.channel, call);
        const canonicalId = subjectOf({ kind: 'id', name: facts.channelId });
        for (const name of namesOf(facts, job.subjectId)) {
          if (name !== canonicalId) await deps.records.noteSameAs(name, canonicalId);
        }
        await deps.contents.putFacts<'list'>(job.recordId, facts);
        const known = await deps.records.successOf(canonicalId);
        if (known?.status !== 'success' || known.id === job.recordId || !(await isReusable(known, deps.files))) {
          return { channelId: facts.channelId };
        }
        const contents = { contentsOf: known.contentsOf ?? known.id, lists: known.lists ?? {} };
        // Nothing is fetched and nothing is charged twice.
        return { channelId: facts.channelId, known: { ...contents, mediaId: facts.channelId, charge: 0 } };
      }),

    /** Lists the videos of a channel that was described, page by page; goes on where an earlier attempt stopped. */
    listChannel: (job: { recordId: string }): Promise<JobResult> =>
      withSourceCall(deps, job.recordId, async (call) => {
        const channel = await deps.contents.facts<'list'>(job.recordId);
        if (channel === undefined) throw new Error(`the channel of record ${job.recordId} was not described`);
        const { pieces, items } = await listChannelVideos({ ...deps, recordId: job.recordId, channel, call });
        return { mediaId: channel.channelId, lists: { videos: { pieces, items } } };
      }),
  };
}

function subjectOf(reference: ChannelReference): string {
  return subjectIdOf('list', channelPathOf(reference));
}

function namesOf({ handle }: ChannelFacts, askedFor: string): readonly string[] {
  const reference = handle === undefined ? undefined : channelReferenceOf(handle);
  return reference === undefined ? [askedFor] : [askedFor, subjectOf(reference)];
}
