import type { JobInput } from '../contract/job-input.ts';
import type { JobResult } from '../contract/download-record.ts';
import { renderComment, type Comment } from '../contract/kinds/transcript.ts';
import type { CommentSource } from '../sources/vidnet/comment-source.ts';
import type { TranscriptSource } from '../sources/vidnet/yt-dlp/yt-dlp-transcript.ts';
import { optional } from '../runtime/optional.ts';
import type { ContentsStore } from '../store/records/contents-store.ts';
import { withSourceCall, type SourceCallDeps } from './source-call.ts';
import { titled } from './record-title.ts';

export interface TranscriptDeps extends SourceCallDeps {
  readonly transcripts: TranscriptSource;
  readonly comments: CommentSource;
  readonly contents: ContentsStore;
  readonly maxComments: number;
}

type TranscriptPart = Pick<JobInput, 'recordId' | 'mediaId'>;

export function createTranscriptActivities(deps: TranscriptDeps) {
  return {
    fetchTranscript: (job: TranscriptPart & { readonly language: string }): Promise<JobResult> =>
      withSourceCall(deps, job.recordId, async (call) => {
        call.report({ stage: 'fetching' });
        const transcript = await deps.transcripts.fetch(job.mediaId, job.language, call);
        await deps.contents.putFacts(job.recordId, transcript);
        const { durationSeconds, title } = transcript.video;
        return { ...optional('durationSeconds', durationSeconds), ...titled(title) };
      }),

    /** Fetches the comments of a video and stores them in pieces. A retry replaces the earlier pieces. */
    fetchComments: (job: TranscriptPart): Promise<JobResult> =>
      withSourceCall(deps, job.recordId, async (call) => {
        const pages = deps.comments.pages(job.mediaId, deps.maxComments, call);
        const found = async function* (): AsyncGenerator<Comment> {
          let items = 0;
          for await (const page of pages) {
            yield* page.map(renderComment);
            items += page.length;
            call.report({ stage: 'listing', items });
          }
        };
        const comments = await deps.contents.putList({ recordId: job.recordId, name: 'comments' }, found());
        return { lists: { comments } };
      }),
  };
}
