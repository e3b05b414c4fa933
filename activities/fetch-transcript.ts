import { JobError } from '../contract/job-error.ts';
import type { JobInput } from '../contract/jobs.ts';
import type { JobResult } from '../contract/records.ts';
import type { CommentSource } from '../sources/vidnet/comment-source.ts';
import type { TranscriptSource } from '../sources/vidnet/yt-dlp-transcript.ts';
import type { ContentsStore } from '../store/contents.ts';
import { withSourceCall, type SourceCallDeps } from './source-call.ts';

export interface TranscriptDeps extends SourceCallDeps {
  readonly transcripts: TranscriptSource;
  readonly comments: CommentSource;
  readonly contents: ContentsStore;
  /** Most comments that are kept of a video. */
  readonly maxComments: number;
}

/** A day of captions is 3 MB. What is kept in one document must stay below 16 MB, however badly it can be packed. */
const MAX_TRANSCRIPT_BYTES = 15_000_000;

type TranscriptPart = Pick<JobInput, 'recordId' | 'mediaId'>;

export function createTranscriptActivities(deps: TranscriptDeps) {
  return {
    /** Fetches the facts and the captions of a video in a language, and keeps them beside the record. */
    fetchTranscript: (job: TranscriptPart & { readonly language: string }): Promise<JobResult> =>
      withSourceCall(deps, job.recordId, async (call) => {
        call.report({ stage: 'fetching' });
        const transcript = await deps.transcripts.fetch(job.mediaId, job.language, call);
        if (Buffer.byteLength(JSON.stringify(transcript)) > MAX_TRANSCRIPT_BYTES) {
          throw new JobError('too_large', 'The captions are larger than this service accepts.');
        }
        await deps.contents.putFacts(job.recordId, transcript);
        const { durationSeconds } = transcript.video;
        return durationSeconds === undefined ? {} : { durationSeconds };
      }),

    /** Fetches the comments of a video and keeps them in pieces. A repeated run replaces what an earlier one wrote. */
    fetchComments: (job: TranscriptPart): Promise<JobResult> =>
      withSourceCall(deps, job.recordId, async (call) => {
        const list = { recordId: job.recordId, name: 'comments' as const };
        let pieces = 0;
        let items = 0;
        for await (const page of deps.comments.pages(job.mediaId, deps.maxComments, call)) {
          pieces += 1;
          items += page.length;
          await deps.contents.putPiece({ ...list, number: pieces }, page);
          call.report({ stage: 'listing', items });
        }
        return { lists: { comments: { pieces, items } } };
      }),
  };
}
