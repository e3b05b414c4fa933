import { z } from 'zod';
import { keptFacts, type ContentsReader, type KeptFacts } from './contents.ts';
import { NO_FILES, renderVidnetFields, vidnetRecordFields } from '../http/download-schemas.ts';
import {
  countSchema,
  durationSchema,
  includeWebhookSchema,
  moneySchema,
  optionalField,
  platformTimeSchema,
  timestampSchema,
  type Progress,
} from '../http/fields.ts';
import { ulidSchema, vidnetVideoIdSchema } from '../ids.ts';
import {
  renderFailed,
  renderPending,
  withVideoId,
  type VidnetFailedResult,
  type VidnetPendingResult,
} from '../http/job-answers.ts';
import type { JobInput } from '../job-input.ts';
import type { Kind, PricesOf, RecordContext, RenderContext } from './kind.ts';
import { languageSchema } from '../text/language-tags.ts';
import { formatMoney } from '../money.ts';
import type { DownloadRecord, SuccessRecord } from '../download-record.ts';
import { TextStream, type ItemStream, type Streamable } from '../http/streams.ts';
import { formatDuration, formatSeconds } from '../text/times.ts';
import { jobBaseSchema } from '../job-schema.ts';
import { transcriptSample } from './transcript-sample.ts';

/** The body of POST /api/transcripts (specification, section 4.2). Unknown fields are ignored. */
export const transcriptRequestSchema = z
  .object({
    vidnet_video_id: vidnetVideoIdSchema,
    language: languageSchema.describe('Language code such as `en`, `de` or `pt-BR`'),
    include_comments: optionalField(z.boolean()).describe("Include the video's comments"),
    include_webhook: includeWebhookSchema,
  })
  .meta({ id: 'TranscriptRequest' });
export type TranscriptRequest = z.infer<typeof transcriptRequestSchema>;

const parametersSchema = z.object({ language: languageSchema, includeComments: z.boolean() });
export type TranscriptParameters = Readonly<z.infer<typeof parametersSchema>>;
export type TranscriptJob = JobInput & { readonly parameters: TranscriptParameters };

/** The stored facts. Times of lines are numbers here, for export formats, and decimal strings in responses. */
export interface TranscriptFacts {
  readonly video: VideoFacts;
  readonly track: CaptionTrack;
  readonly lines: readonly CaptionLine[];
}

/** The platform's fields of a video. Unknown ones are absent. Times are `YYYY-MM-DD HH:MM:SS` in UTC. */
export interface VideoFacts {
  readonly videoId: string;
  readonly link: string;
  readonly title: string;
  readonly description?: string | undefined;
  readonly publishedAt?: string | undefined;
  readonly durationSeconds?: number | undefined;
  readonly viewCount?: number | undefined;
  readonly likeCount?: number | undefined;
  readonly commentCount?: number | undefined;
  readonly channelId?: string | undefined;
  readonly channelName?: string | undefined;
}

export interface CaptionTrack {
  /** Canonical BCP 47, such as `pt-BR`. */
  readonly language: string;
  readonly kind: 'manual' | 'automatic';
  /** The name of the track on the platform. */
  readonly name?: string | undefined;
}

export interface CaptionLine {
  readonly startSeconds: number;
  readonly durationSeconds: number;
  readonly text: string;
}

export interface VideoComment {
  readonly id: string;
  readonly author?: string | undefined;
  readonly authorId?: string | undefined;
  readonly text: string;
  readonly likes?: number | undefined;
  readonly publishedAt?: string | undefined;
  /** True if the platform gives only a relative time, such as "2 weeks ago". */
  readonly publishedAtIsEstimated?: true | undefined;
  /** The comment to which this one replies; null for a top-level comment. */
  readonly replyTo: string | null;
}

const secondsSchema = z
  .string()
  .regex(/^\d+(\.\d{1,3})?$/)
  .meta({ description: 'Seconds as a decimal string', examples: ['12.48'] });

export const captionLineSchema = z
  .object({ dur: secondsSchema, text: z.string(), start: secondsSchema })
  .meta({ id: 'CaptionLine' });

/** A comment. Replies follow the comment to which they reply and name it in `reply_to`. */
export const commentSchema = z
  .object({
    id: z.string(),
    author: z.string().nullable(),
    author_id: z.string().nullable().describe("The author's channel"),
    text: z.string(),
    likes: countSchema.nullable(),
    published_at: platformTimeSchema.nullable(),
    published_at_is_estimated: z.literal(true).optional().describe('The platform said "2 weeks ago" and no date'),
    reply_to: z.string().nullable().describe('The comment that this one answers; null for one that answers the video'),
  })
  .meta({ id: 'Comment' });
export type Comment = z.infer<typeof commentSchema>;

/** The transcript result (specification, section 2.7). A field that the platform omits is null. */
export const transcriptSchema = z
  .object({
    status: z.literal('ok'),
    video: z.object({
      vidnet_id: vidnetVideoIdSchema,
      link: z.url(),
      title: z.string(),
      description: z.string().nullable(),
      publishedAt: platformTimeSchema.nullable(),
      duration: durationSchema.nullable(),
      viewCount: countSchema.nullable(),
      likeCount: countSchema.nullable(),
      commentCount: countSchema.nullable(),
      channelId: z.string().nullable(),
      channelName: z.string().nullable(),
      transcriptsWithTimeStamps: z.array(captionLineSchema),
      transcripts: z.string().describe('The full text'),
      comments: z.array(commentSchema).optional().describe('Present when the request has `include_comments`'),
    }),
    track: z
      .object({
        language: z.string().describe('BCP 47'),
        kind: z.enum(['manual', 'automatic']),
        name: z.string().nullable(),
      })
      .describe('The captions that were used; an addition to the specification'),
    download: z.object({
      id: ulidSchema,
      vidnet_video_id: vidnetVideoIdSchema,
      type: z.literal('captions'),
      cost: moneySchema,
      status: z.literal('success'),
      created_at: timestampSchema,
    }),
  })
  .meta({ id: 'Transcript' });
export type Transcript = z.infer<typeof transcriptSchema>;

export type TranscriptResult = Transcript | VidnetPendingResult | VidnetFailedResult;

/** The download record of a transcript job. GET /api/transcripts/{downloadID} returns the transcript itself. */
export const captionsRecordSchema = z
  .object({
    ...vidnetRecordFields,
    type: z.literal('captions'),
    language: z.string().describe('The requested language'),
  })
  .meta({ id: 'CaptionsRecord' });
export type CaptionsRecord = z.infer<typeof captionsRecordSchema>;

const prices = {
  transcript: { setting: 'PRICE_TRANSCRIPT', default: '0.003', about: 'Price of a transcript' },
  comments: { setting: 'PRICE_COMMENTS', default: '0.002', about: 'What comments add to the price of a transcript' },
} as const;

export function transcriptPrice(
  { transcript, comments }: PricesOf<typeof prices>,
  { includeComments }: Pick<TranscriptParameters, 'includeComments'>,
): number {
  return transcript + (includeComments ? comments : 0);
}

export async function renderCaptionsResult(
  record: DownloadRecord,
  { contents }: Pick<RenderContext, 'contents'>,
  progress?: Progress,
): Promise<Streamable<TranscriptResult>> {
  if (record.status === 'pending')
    return withVideoId(renderPending(record, 'The transcript is being fetched.', progress), record);
  if (record.status === 'failed') return withVideoId(renderFailed(record), record);
  return renderTranscript(record, await keptFacts<TranscriptFacts>(contents, record.id), contents);
}

function renderTranscript(
  record: SuccessRecord,
  { video, track, lines }: KeptFacts<TranscriptFacts>,
  contents: ContentsReader,
): Streamable<Transcript> {
  const comments = record.lists?.['comments'];
  return {
    status: 'ok',
    video: {
      vidnet_id: video.videoId,
      link: video.link,
      title: video.title,
      description: video.description ?? null,
      publishedAt: video.publishedAt ?? null,
      duration: video.durationSeconds === undefined ? null : formatDuration(video.durationSeconds),
      viewCount: video.viewCount ?? null,
      likeCount: video.likeCount ?? null,
      commentCount: video.commentCount ?? null,
      channelId: video.channelId ?? null,
      channelName: video.channelName ?? null,
      transcriptsWithTimeStamps: lines.map(({ durationSeconds, text, startSeconds }) => ({
        dur: formatSeconds(durationSeconds),
        text,
        start: formatSeconds(startSeconds),
      })),
      transcripts: new TextStream(() => fullText(lines)),
      comments: comments && contents.list<Comment>({ recordId: record.id, name: 'comments', pieces: comments.pieces }),
    },
    track: { language: track.language, kind: track.kind, name: track.name ?? null },
    download: {
      id: record.id,
      vidnet_video_id: record.mediaId,
      type: 'captions',
      cost: formatMoney(record.charge),
      status: record.status,
      created_at: record.createdAt,
    },
  };
}

/** Comments are stored like this. */
export function renderComment(comment: VideoComment): Comment {
  return {
    id: comment.id,
    author: comment.author ?? null,
    author_id: comment.authorId ?? null,
    text: comment.text,
    likes: comment.likes ?? null,
    published_at: comment.publishedAt ?? null,
    published_at_is_estimated: comment.publishedAtIsEstimated,
    reply_to: comment.replyTo,
  };
}

async function* fullText(lines: ItemStream<CaptionLine>): AsyncGenerator<string> {
  let separator = '';
  for await (const page of lines.pages()) {
    if (page.length === 0) continue;
    yield separator + page.map(({ text }) => text).join(' ');
    separator = ' ';
  }
}

export const transcript = {
  workflow: 'transcript',
  endpoint: 'transcripts',
  freshness: 24 * 3600,
  prices,
  job: jobBaseSchema.extend({
    type: z.literal('captions'),
    mediaId: vidnetVideoIdSchema,
    parameters: parametersSchema,
  }),
  sample: transcriptSample,
  record: captionsRecordSchema,
  requestOf: ({ mediaId, parameters }: DownloadRecord) => {
    const { language = 'en', includeComments = false } = (parameters ?? {}) as Partial<TranscriptParameters>;
    const comments = includeComments ? { include_comments: true } : {};
    return { path: '/api/transcripts', body: { vidnet_video_id: mediaId, language, ...comments } };
  },
  renderRecord: (record: DownloadRecord, _context: RecordContext, progress?: Progress): CaptionsRecord => ({
    ...renderVidnetFields(record, progress),
    type: 'captions',
    language: (record.parameters as TranscriptParameters | undefined)?.language ?? '',
    ...NO_FILES,
  }),
  render: renderCaptionsResult,
} as const satisfies Kind;
