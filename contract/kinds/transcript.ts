import { z } from 'zod';
import { keptFacts, type ContentsReader, type KeptFacts } from './contents.ts';
import { NO_FILES, renderVidnetFields, vidnetRecordFields } from '../http/download-schemas.ts';
import { moneySchema, type Progress } from '../http/fields.ts';
import { ulidSchema } from '../ids.ts';
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
import { SAMPLE, sampleList } from './sample.ts';
import {
  commentSchema,
  videoFieldsSchema,
  videoIdField,
  wholeVideo,
  type CaptionLine,
  type Comment,
  type TranscriptFacts,
} from './transcript-facts.ts';
import { transcriptIdSchema, transcriptParametersSchema, type TranscriptParameters } from './transcript-request.ts';

const secondsSchema = z
  .string()
  .regex(/^\d+(\.\d{1,3})?$/)
  .meta({ description: 'Seconds as a decimal string', examples: ['12.48'] });

const captionLineSchema = z
  .object({
    dur: secondsSchema,
    text: z.string(),
    start: secondsSchema,
    speaker: z.string().optional().describe('Present in a transcript of what is spoken'),
  })
  .meta({ id: 'CaptionLine' });

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
      vidnet_video_id: videoIdField,
    }),
  })
  .meta({ id: 'Transcript' });
export type Transcript = z.infer<typeof transcriptSchema>;

export type TranscriptResult = Transcript | VidnetPendingResult | VidnetFailedResult;

/** The download record of a transcript job. GET /api/transcripts/{downloadID} returns the transcript itself. */
export const captionsRecordSchema = z
  .object({
    ...vidnetRecordFields,
    vidnet_video_id: videoIdField,
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
  sample: {
    mediaId: SAMPLE.videoId,
    parameters: { language: 'en', includeComments: true },
    progress: { stage: 'fetching' },
    failure: ['no_captions', 'There are no captions in fr. There are: en, de.'],
    facts: {
      video: {
        ...{ videoId: SAMPLE.videoId, link: SAMPLE.videoUrl },
        ...{ title: 'Shall we take the bridge', publishedAt: '2026-03-14 18:00:00', durationSeconds: 205 },
        ...{ viewCount: 4_102, likeCount: 311, commentCount: 1 },
        ...{ channelId: SAMPLE.channelId, channelName: 'Evening Talks', description: 'Two people talk.' },
      },
      track: { language: 'en', kind: 'manual', name: 'English' },
      lines: sampleList(
        { startSeconds: 0.48, durationSeconds: 1.91, text: 'shall we take the bridge' },
        { startSeconds: 2.72, durationSeconds: 1.1, text: 'if it is open' },
      ),
    },
    lists: {
      comments: [
        {
          ...{ id: 'UgxK2', author: '@ferry', author_id: null, text: 'It was closed.', likes: 3, published_at: null },
          reply_to: null,
        },
      ],
    },
  },
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
