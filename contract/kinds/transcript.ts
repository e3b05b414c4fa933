import { z } from 'zod';
import { keptFacts, type ContentsReader, type KeptFacts } from './contents.ts';
import { NO_FILES, renderVidnetFields, vidnetRecordFields } from '../http/download-schemas.ts';
import { countSchema, durationSchema, moneySchema, platformTimeSchema, type Progress } from '../http/fields.ts';
import { ulidSchema, vidnetVideoIdSchema } from '../ids.ts';
import {
  renderFailed,
  renderPending,
  renderSuccess,
  successFields,
  withVideoId,
  type VidnetFailedResult,
  type VidnetPendingResult,
} from '../http/job-answers.ts';
import type { Kind, PricesOf, RecordContext, RenderContext } from './kind.ts';
import { formatMoney } from '../money.ts';
import type { DownloadRecord, SuccessRecord } from '../download-record.ts';
import { TextStream, type ItemStream, type Streamable } from '../http/streams.ts';
import { formatDuration, formatSeconds } from '../text/times.ts';
import { jobBaseSchema } from '../job-schema.ts';
import { transcriptSample } from './transcript-sample.ts';
import { withNullDefaults, type Sparse } from './sparse.ts';
import type { CaptionLine, TranscriptFacts } from './transcript-facts.ts';
import { transcriptIdSchema, transcriptParametersSchema, type TranscriptParameters } from './transcript-request.ts';

const secondsSchema = z
  .string()
  .regex(/^\d+(\.\d{1,3})?$/)
  .meta({ description: 'Seconds as a decimal string', examples: ['12.48'] });

export const captionLineSchema = z
  .object({
    dur: secondsSchema,
    text: z.string(),
    start: secondsSchema,
    speaker: z.string().optional().describe('Present in a transcript of what is spoken'),
  })
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
/** Comments are stored as they are in answers. */
export const wholeComment = withNullDefaults(commentSchema);

const OTHER_SITES = 'Null for pages of other sites';
const sourceSchema = z
  .object({
    kind: z.enum(['captions', 'speech']),
    reason: z.string().optional().describe('Why, for the mode `auto`'),
    download_id: ulidSchema.optional().describe('The job of the speech, for GET /api/speech/{downloadId}'),
    cost: moneySchema
      .optional()
      .describe('The price of the speech that this request has started, in addition to its own cost'),
  })
  .meta({ id: 'TranscriptSource', description: 'Where the text is from; present unless the mode is `native`' });

/** The platform's fields of a video. A field that the platform omits is null. */
const videoFieldsSchema = z.object({
  vidnet_id: vidnetVideoIdSchema.nullable().describe(OTHER_SITES),
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
});
export type VideoFields = Sparse<z.infer<typeof videoFieldsSchema>>;
const wholeVideo = withNullDefaults(videoFieldsSchema);

/** The transcript result (specification, section 2.7). */
export const transcriptSchema = z
  .object({
    status: z.literal('ok'),
    video: videoFieldsSchema.extend({
      transcriptsWithTimeStamps: z.array(captionLineSchema),
      transcripts: z.string().describe('The full text'),
      comments: z.array(commentSchema).optional().describe('Present when the request has `include_comments`'),
    }),
    track: z
      .object({
        language: z.string().describe('BCP 47'),
        kind: z.enum(['manual', 'automatic', 'speech']),
        name: z.string().nullable(),
      })
      .describe('The captions that were used; an addition to the specification'),
    source: sourceSchema.optional(),
    download: z.object({
      ...successFields('captions'),
      vidnet_video_id: vidnetVideoIdSchema.nullable().describe(OTHER_SITES),
    }),
  })
  .meta({ id: 'Transcript' });
export type Transcript = z.infer<typeof transcriptSchema>;

export type TranscriptResult = Transcript | VidnetPendingResult | VidnetFailedResult;

/** The download record of a transcript job. GET /api/transcripts/{downloadID} returns the transcript itself. */
export const captionsRecordSchema = z
  .object({
    ...vidnetRecordFields,
    vidnet_video_id: vidnetVideoIdSchema.nullable().describe(OTHER_SITES),
    url: z.string().optional().describe('The URL of the request, for pages of other sites'),
    type: z.literal('captions'),
    language: z.string().describe('The requested language; several are separated by commas'),
  })
  .meta({ id: 'CaptionsRecord' });
export type CaptionsRecord = z.infer<typeof captionsRecordSchema>;

const prices = {
  transcript: { setting: 'PRICE_TRANSCRIPT', default: '0.003', about: 'Price of a transcript' },
  comments: { setting: 'PRICE_COMMENTS', default: '0.002', about: 'What comments add to the price of a transcript' },
} as const;

/** Speech is charged by its own jobs. */
export function transcriptPrice(
  { transcript, comments }: PricesOf<typeof prices>,
  { includeComments, mode }: Pick<TranscriptParameters, 'includeComments' | 'mode'>,
): number {
  return (mode === 'generate' ? 0 : transcript) + (includeComments ? comments : 0);
}

function parametersOf({ parameters }: DownloadRecord): TranscriptParameters {
  return { includeComments: false, ...parameters };
}

/** @returns the ID of a video of the video platform; undefined for a page of another site */
export function videoOf(record: Pick<DownloadRecord, 'mediaId' | 'parameters'>): string | undefined {
  return (record.parameters as TranscriptParameters | undefined)?.url === undefined ? record.mediaId : undefined;
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

function renderSource(
  mode: TranscriptParameters['mode'],
  { track, speech }: Pick<KeptFacts<TranscriptFacts>, 'track' | 'speech'>,
): z.infer<typeof sourceSchema> | undefined {
  if (mode === undefined) return undefined;
  if (speech === undefined) {
    const made = track.kind === 'manual' ? 'captions that people made' : 'automatic captions';
    return { kind: 'captions', reason: `There are ${made} in \`${track.language}\`.` };
  }
  const { recordId, cost, reason } = speech;
  return { kind: 'speech', reason, download_id: recordId, cost: formatMoney(cost) };
}

function renderTranscript(
  record: SuccessRecord,
  facts: KeptFacts<TranscriptFacts>,
  contents: ContentsReader,
): Streamable<Transcript> {
  const { track, lines } = facts;
  const { videoId, durationSeconds: seconds, ...video } = facts.video;
  const comments = record.lists?.['comments'];
  return {
    status: 'ok',
    video: {
      ...wholeVideo({
        vidnet_id: videoId,
        duration: seconds === undefined ? seconds : formatDuration(seconds),
        ...video,
      }),
      transcriptsWithTimeStamps: lines.map(({ durationSeconds, text, startSeconds, speaker }) => ({
        dur: formatSeconds(durationSeconds),
        text,
        start: formatSeconds(startSeconds),
        speaker,
      })),
      transcripts: new TextStream(() => fullText(lines)),
      comments: comments && contents.list<Comment>({ recordId: record.id, name: 'comments', pieces: comments.pieces }),
    },
    track: { language: track.language, kind: track.kind, name: track.name ?? null },
    source: renderSource(parametersOf(record).mode, facts),
    download: { ...renderSuccess(record, 'captions'), vidnet_video_id: videoOf(record) ?? null },
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
    mediaId: transcriptIdSchema,
    parameters: transcriptParametersSchema,
  }),
  sample: transcriptSample,
  record: captionsRecordSchema,
  requestOf: (record: DownloadRecord) => {
    const { language, languages, includeComments, mode, url } = parametersOf(record);
    const requested = languages ?? language ?? (mode === undefined ? 'en' : undefined);
    const source = url === undefined ? { vidnet_video_id: record.mediaId } : { url };
    const options = { language: requested, include_comments: includeComments || undefined, mode };
    return { path: '/api/transcripts', body: { ...source, ...options } };
  },
  renderRecord: (record: DownloadRecord, _context: RecordContext, progress?: Progress): CaptionsRecord => {
    const { language = '', languages, url } = parametersOf(record);
    return {
      ...renderVidnetFields(record, progress),
      vidnet_video_id: videoOf(record) ?? null,
      url,
      type: 'captions',
      language: languages?.join(',') ?? language,
      ...NO_FILES,
    };
  },
  render: renderCaptionsResult,
} as const satisfies Kind;
