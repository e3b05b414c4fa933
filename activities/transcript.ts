import type { JobInput } from '../contract/job-input.ts';
import type { JobResult } from '../contract/download-record.ts';
import type { z } from 'zod';
import type { captionsOrderSchema } from '../contract/kinds/transcript-request.ts';
import {
  wholeComment,
  type Comment,
  type TranscriptFacts,
  type TranscriptLine,
  type VideoFacts,
} from '../contract/kinds/transcript-facts.ts';
import type { CommentSource } from '../sources/vidnet/comment-source.ts';
import { NoCaptionsError, type TranscriptSource } from '../sources/vidnet/yt-dlp/yt-dlp-transcript.ts';
import type { ContentsStore } from '../store/records/contents-store.ts';
import { withSourceCall, type SourceCallDeps } from './source-call.ts';
import { titled } from './record-title.ts';

export interface TranscriptDeps extends SourceCallDeps {
  readonly transcripts: TranscriptSource;
  readonly comments: CommentSource;
  readonly contents: ContentsStore;
  readonly maxComments: number;
}

const NO_WORDS = 'The captions only name sounds, such as [Music].';
const SOUND_NAMES = /\[[^[\]]*\]|\([^()]*\)|（[^（）]*）|【[^【】]*】/g;

type TranscriptPart = Pick<JobInput, 'recordId' | 'mediaId'>;
export type CaptionsOrder = Readonly<z.infer<typeof captionsOrderSchema>>;
type FetchedCaptions = JobResult & { readonly isMissing?: true | undefined };

/** Whether a caption has a word that is not in brackets. */
function hasWords({ text }: TranscriptLine): boolean {
  return /\p{L}|\p{N}/u.test(text.replaceAll(SOUND_NAMES, ''));
}

/** @param reason why there are no captions */
function unspoken(video: VideoFacts, reason: string): TranscriptFacts {
  return { video, track: { language: 'und', kind: 'speech' }, lines: [], speech: { cost: 0, reason } };
}

export function createTranscriptActivities(deps: TranscriptDeps) {
  return {
    /** Without captions, an order that also wants speech gets the facts about the page, and the reason. */
    fetchTranscript: ({
      recordId,
      mediaId,
      language,
      languages = language === undefined ? [] : [language],
      mode,
      page,
    }: CaptionsOrder): Promise<FetchedCaptions> =>
      withSourceCall(deps, recordId, async (call) => {
        call.report({ stage: 'fetching' });
        const wanted = { languages: mode === 'generate' ? [] : languages, page: page?.url };
        let found = await deps.transcripts.fetch(mediaId, wanted, call).catch((error: unknown) => {
          if (mode === undefined || !(error instanceof NoCaptionsError)) throw error;
          return unspoken(error.video, error.message);
        });
        if (mode === 'auto' && found.speech === undefined && !found.lines.some(hasWords))
          found = unspoken(found.video, NO_WORDS);
        await deps.contents.putFacts(recordId, found);
        const { durationSeconds, title } = found.video;
        return { durationSeconds, ...titled(title), isMissing: found.speech && true };
      }),

    /** Fetches the comments of a video and stores them in pieces. A retry replaces the earlier pieces. */
    fetchComments: (job: TranscriptPart): Promise<JobResult> =>
      withSourceCall(deps, job.recordId, async (call) => {
        const pages = deps.comments.pages(job.mediaId, deps.maxComments, call);
        const found = async function* (): AsyncGenerator<Comment> {
          let items = 0;
          for await (const page of pages) {
            yield* page.map(wholeComment);
            items += page.length;
            call.report({ stage: 'listing', items });
          }
        };
        const comments = await deps.contents.putList({ recordId: job.recordId, name: 'comments' }, found());
        return { lists: { comments } };
      }),
  };
}
