import { initTRPC, TRPCError } from '@trpc/server';
import { z } from 'zod';
import {
  webhookIdSchema,
  deliveryListQuerySchema,
  webhookTestRequestSchema,
  deliveryListSchema,
  deliverySchema,
  webhookTestResultSchema,
} from '../contract/deliveries.ts';
import { ApiError, ERROR_TABLE, type ErrorCode } from '../contract/errors.ts';
import { ulidSchema } from '../contract/ids.ts';
import { PREFER_WAIT_MAX_SECONDS } from '../contract/limits.ts';
import { channelRequestSchema, type ChannelResult } from '../contract/kinds/channel.ts';
import { downloadListQuerySchema, vidnetDownloadRequestSchema } from '../contract/downloads.ts';
import { imgnetListRequestSchema, type ImgnetListResult } from '../contract/kinds/imgnet-list.ts';
import { imgnetPostRequestSchema, type ImgnetContentResult } from '../contract/kinds/imgnet-content.ts';
import { imgnetProfileRequestSchema, type ImgnetProfileResult } from '../contract/kinds/imgnet-profile.ts';
import { speakerLabelsRequestSchema, type SpeakerLabelsResult } from '../contract/kinds/speaker-labels.ts';
import { transcriptRequestSchema, type TranscriptResult } from '../contract/kinds/transcript.ts';
import { audioResultSchema } from '../contract/kinds/audio.ts';
import { downloadListSchema, downloadResultSchema, type DownloadResult } from '../contract/kinds.ts';
import { imgnetAudioResultSchema } from '../contract/kinds/imgnet-audio.ts';
import { videoResultSchema } from '../contract/kinds/video.ts';
import { healthSchema } from '../contract/health.ts';
import { speakerLabelFormatSchema } from '../contract/speaker-label-formats.ts';
import { TextStream } from '../contract/streams.ts';
import { transcriptFormatSchema } from '../contract/transcript-formats.ts';
import type { ApiDeps } from './deps.ts';
import { invalidInput, toApiError } from './errors.ts';
import type { RpcStreams } from './rpc-streams.ts';
import { cancelDownload } from './use-cases/cancel-download.ts';
import { checkHealth } from './use-cases/check-health.ts';
import { exportSpeakerLabels } from './use-cases/export-speaker-labels.ts';
import { exportTranscript, type ExportedText } from './use-cases/export-transcript.ts';
import { getDownload } from './use-cases/get-download.ts';
import { getSpeakerLabels } from './use-cases/get-speaker-labels.ts';
import { getTranscript } from './use-cases/get-transcript.ts';
import { listDeliveries } from './use-cases/list-deliveries.ts';
import { listDownloads } from './use-cases/list-downloads.ts';
import { redeliverWebhook } from './use-cases/redeliver-webhook.ts';
import { requestChannel } from './use-cases/request-channel.ts';
import { requestImgnetAudio } from './use-cases/request-imgnet-audio.ts';
import { requestImgnetContent } from './use-cases/request-imgnet-content.ts';
import { requestImgnetList } from './use-cases/request-imgnet-list.ts';
import { requestImgnetProfile } from './use-cases/request-imgnet-profile.ts';
import { requestSpeakerLabels } from './use-cases/request-speaker-labels.ts';
import { requestTranscript } from './use-cases/request-transcript.ts';
import { requestVidnetDownload, type VidnetDownload } from './use-cases/request-vidnet-download.ts';
import { testWebhook } from './use-cases/test-webhook.ts';

const t = initTRPC.context<{ deps: ApiDeps; streams: RpcStreams }>().create({
  errorFormatter: ({ shape, error }) => {
    // The same body that REST answers, beside tRPC's own fields; nothing of what stays in `cause`.
    const { stack: _secret, ...data } = shape.data;
    const known = documented(error);
    return { ...shape, message: known.message, data: { ...data, body: known.toBody() } };
  },
});

/** What a procedure or tRPC itself refused, as REST would tell it. */
function documented(error: TRPCError): ApiError {
  const { cause } = error;
  if (cause instanceof ApiError) return cause;
  if (cause instanceof z.ZodError && error.code === 'BAD_REQUEST') return invalidInput(cause);
  if (cause instanceof SyntaxError) return new ApiError('invalid_json', 'The input is not valid JSON.');
  const [code, message] = REFUSED_BY_TRPC[error.code] ?? [];
  return code === undefined || message === undefined ? toApiError(cause ?? error) : new ApiError(code, message);
}

const REFUSED_BY_TRPC: Partial<Record<TRPCError['code'], readonly [ErrorCode, string]>> = {
  BAD_REQUEST: ['invalid_input', 'The request is not valid.'],
  PARSE_ERROR: ['invalid_json', 'The input is not valid JSON.'],
  UNSUPPORTED_MEDIA_TYPE: ['invalid_input', 'The content type must be application/json.'],
  NOT_FOUND: ['not_found', 'There is no such procedure.'],
  METHOD_NOT_SUPPORTED: ['method_not_allowed', 'Queries take GET, mutations take POST.'],
  PAYLOAD_TOO_LARGE: ['body_too_large', 'The body is larger than 64 KiB.'],
};

/** Use cases throw {@link ApiError}; the table gives the tRPC code. */
const procedure = t.procedure.use(async ({ next }) => {
  const result = await next();
  // What tRPC itself refused (input that is not valid, a body that is too large) keeps its code.
  if (result.ok || result.error.code !== 'INTERNAL_SERVER_ERROR') return result;
  const error = toApiError(result.error.cause ?? result.error);
  throw new TRPCError({ code: ERROR_TABLE[error.code].trpc, message: error.message, cause: error });
});

const secondsSchema = z.number().int().min(0).max(PREFER_WAIT_MAX_SECONDS);
const waitSchema = { wait_seconds: secondsSchema.default(0) };
/** Of what is waited for by default, as long as the configuration says. */
const defaultWaitSchema = { wait_seconds: secondsSchema.optional() };
const waitMs = (deps: ApiDeps, seconds = deps.defaultWaitSeconds): number => seconds * 1000;
const downloadId = { download_id: ulidSchema };
/** Of the audio or of the job. */
const labelsId = { id: ulidSchema };
interface Exported {
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
}

/** The type of a result that may be long: to check a list of 20,000 items once more takes seconds. */
const large = z.custom;

function exported(streams: RpcStreams, { open, ...file }: ExportedText): Exported {
  return streams.hold<Exported>({ ...file, text: new TextStream(open) });
}

const downloadProcedure = <Result extends z.ZodType<DownloadResult>>(type: VidnetDownload['type'], result: Result) =>
  procedure
    .input(vidnetDownloadRequestSchema.extend(waitSchema))
    .mutation(async ({ ctx, input: { wait_seconds, ...request } }): Promise<z.infer<Result>> => {
      const answer = await requestVidnetDownload(ctx.deps, { type, request, waitMs: wait_seconds * 1000 });
      // Narrows what every download is to what this one is.
      return result.parse(answer.body);
    });

/** The procedures for internal callers: the same use cases, inputs and outputs as REST. Lists come whole here. */
export const appRouter = t.router({
  downloads: t.router({
    audio: downloadProcedure('audio', audioResultSchema),
    video: downloadProcedure('vidnet_video', videoResultSchema),
    get: procedure
      .input(z.object({ ...downloadId, ...waitSchema }))
      .output(downloadResultSchema)
      .query(
        async ({ ctx, input }) => (await getDownload(ctx.deps, input.download_id, input.wait_seconds * 1000)).body,
      ),
    list: procedure
      .input(downloadListQuerySchema)
      .output(downloadListSchema)
      .query(async ({ ctx, input }) => (await listDownloads(ctx.deps, input)).body),
    cancel: procedure
      .input(z.object(downloadId))
      .output(downloadResultSchema)
      .mutation(async ({ ctx, input }) => (await cancelDownload(ctx.deps, input.download_id)).body),
  }),
  channels: t.router({
    profile: procedure
      .input(channelRequestSchema.extend(defaultWaitSchema))
      .output(large<ChannelResult>())
      .mutation(async ({ ctx, input: { wait_seconds, ...request } }) =>
        ctx.streams.hold<ChannelResult>((await requestChannel(ctx.deps, request, waitMs(ctx.deps, wait_seconds))).body),
      ),
  }),
  transcripts: t.router({
    request: procedure
      .input(transcriptRequestSchema.extend(defaultWaitSchema))
      .output(large<TranscriptResult>())
      .mutation(async ({ ctx, input: { wait_seconds, ...request } }) =>
        ctx.streams.hold<TranscriptResult>(
          (await requestTranscript(ctx.deps, request, waitMs(ctx.deps, wait_seconds))).body,
        ),
      ),
    get: procedure
      .input(z.object({ ...downloadId, ...waitSchema }))
      .output(large<TranscriptResult>())
      .query(async ({ ctx, input }) =>
        ctx.streams.hold<TranscriptResult>(
          (await getTranscript(ctx.deps, input.download_id, input.wait_seconds * 1000)).body,
        ),
      ),
    export: procedure
      .input(z.object({ ...downloadId, format: transcriptFormatSchema }))
      .output(large<Exported>())
      .query(async ({ ctx, input }) =>
        exported(ctx.streams, await exportTranscript(ctx.deps, input.download_id, input.format)),
      ),
  }),
  speakers: t.router({
    request: procedure
      .input(speakerLabelsRequestSchema.safeExtend(waitSchema))
      .output(large<SpeakerLabelsResult>())
      .mutation(async ({ ctx, input: { wait_seconds, ...request } }) =>
        ctx.streams.hold<SpeakerLabelsResult>(
          (await requestSpeakerLabels(ctx.deps, request, wait_seconds * 1000)).body,
        ),
      ),
    get: procedure
      .input(z.object({ ...labelsId, ...waitSchema }))
      .output(large<SpeakerLabelsResult>())
      .query(async ({ ctx, input }) =>
        ctx.streams.hold<SpeakerLabelsResult>(
          (await getSpeakerLabels(ctx.deps, input.id, input.wait_seconds * 1000)).body,
        ),
      ),
    export: procedure
      .input(z.object({ ...labelsId, format: speakerLabelFormatSchema }))
      .output(large<Exported>())
      .query(async ({ ctx, input }) =>
        exported(ctx.streams, await exportSpeakerLabels(ctx.deps, input.id, input.format)),
      ),
  }),
  imgnet: t.router({
    profile: procedure
      .input(imgnetProfileRequestSchema.extend(waitSchema))
      .output(large<ImgnetProfileResult>())
      .mutation(
        async ({ ctx, input: { wait_seconds, ...request } }) =>
          (await requestImgnetProfile(ctx.deps, request, wait_seconds * 1000)).body,
      ),
    list: procedure
      .input(imgnetListRequestSchema.extend(waitSchema))
      .output(large<ImgnetListResult>())
      .mutation(async ({ ctx, input: { wait_seconds, ...request } }) =>
        ctx.streams.hold<ImgnetListResult>((await requestImgnetList(ctx.deps, request, wait_seconds * 1000)).body),
      ),
    content: procedure
      .input(imgnetPostRequestSchema.extend(waitSchema))
      .output(large<ImgnetContentResult>())
      .mutation(
        async ({ ctx, input: { wait_seconds, ...request } }) =>
          (await requestImgnetContent(ctx.deps, request, wait_seconds * 1000)).body,
      ),
    audio: procedure
      .input(imgnetPostRequestSchema.extend(waitSchema))
      .output(imgnetAudioResultSchema)
      .mutation(
        async ({ ctx, input: { wait_seconds, ...request } }) =>
          (await requestImgnetAudio(ctx.deps, request, wait_seconds * 1000)).body,
      ),
  }),
  webhook: t.router({
    test: procedure
      .input(webhookTestRequestSchema)
      .output(webhookTestResultSchema)
      .mutation(async ({ ctx, input }) => (await testWebhook(ctx.deps, input)).body),
    deliveries: procedure
      .input(deliveryListQuerySchema)
      .output(deliveryListSchema)
      .query(async ({ ctx, input }) => (await listDeliveries(ctx.deps, input)).body),
    redeliver: procedure
      .input(z.object({ delivery_id: webhookIdSchema }))
      .output(deliverySchema)
      .mutation(async ({ ctx, input }) => (await redeliverWebhook(ctx.deps, input.delivery_id)).body),
  }),
  health: procedure.output(healthSchema).query(async ({ ctx }) => (await checkHealth(ctx.deps)).body),
});

export type AppRouter = typeof appRouter;
