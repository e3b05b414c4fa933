import { BlockList } from 'node:net';
import { renderAccount } from '../../contract/http/account-schemas.ts';
import { keptFacts } from '../../contract/kinds/contents.ts';
import { renderDelivery } from '../../contract/http/delivery-schemas.ts';
import { originalStatusOf } from '../../contract/failures.ts';
import type { RenderContext } from '../../contract/kinds/kind.ts';
import { kinds } from '../../contract/kinds/kinds.ts';
import { renderImgnetList } from '../../contract/kinds/imgnet-list.ts';
import { renderAudioRequired } from '../../contract/kinds/speaker-labels.ts';
import type { TranscriptFacts } from '../../contract/kinds/transcript-facts.ts';
import { priceTable } from '../../contract/kinds/configured-prices.ts';
import type { DownloadRecord, RecordType } from '../../contract/download-record.ts';
import { keptLabels, speakerLabelFormatSchema, writeSpeakerLabels } from '../../contract/text/speaker-label-formats.ts';
import { TRANSCRIPT_FORMATS, transcriptFormatSchema, writtenBy } from '../../contract/text/transcript-formats.ts';
import { renderJobDetails } from '../../contract/http/job-details.ts';
import { deliveryIdOf } from '../../contract/http/webhook-delivery.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { EVENT_STREAM } from '../edge/answer-budget.ts';
import { stateOf } from '../events/job-watches.ts';
import { createPositionTracker } from '../events/position.ts';
import type { operations } from '../operations/operations.ts';
import { checkHealth, checkLive } from '../use-cases/check-health.ts';
import { subjectsOf } from '../use-cases/resolve-url.ts';
import { renderSpokenWords } from '../use-cases/speaker-labels.ts';
import { describeTest } from '../use-cases/webhook-deliveries.ts';
import { batchExamples } from './batch-examples.ts';
import { refusedTest } from './error-examples.ts';
import { asRead, one, recordsBy, resultsBy, textOf } from './render-examples.ts';
import type { AnswerExamples, Example, Examples, Rendered } from './render-examples.ts';
import { SAMPLE } from '../../contract/kinds/sample.ts';
import { CREATED_AT, failed, FINISHED_AT, idOf, samples, type Samples } from './sample-records.ts';

const PLATFORMS: ServiceDeps['platforms'] = {
  vidnetVideoUrl: 'https://www.youtube.com/watch?v={id}',
  vidnetChannelUrl: 'https://www.youtube.com/{path}',
  imgnetUrl: 'https://www.instagram.com',
  ...{ vidnetHosts: [], imgnetHosts: [], isImgnetConfigured: false },
  ...{ mediaSites: 'off', mediaAllowedNetworks: new BlockList() },
};

export async function answersOfJobs(context: RenderContext, types: readonly RecordType[]): Promise<AnswerExamples> {
  const [type] = types;
  if (type === undefined) return {};
  if (types.length === 1) return byStatus(samples[type], resultsBy(context), statusOf);
  const { imgnet_list_posts: posts, imgnet_list_reels: reels } = samples;
  return byStatus(
    posts,
    async ({ summary }, name) => {
      const parts = { posts: posts[name] ?? posts.success, reels: reels[name] ?? reels.success };
      return { summary, value: await asRead(renderImgnetList(parts, context.contents)) };
    },
    statusOf,
  );
}

export async function webhooksOfJobs(context: RenderContext, types: readonly RecordType[]): Promise<Examples> {
  const all = await Promise.all(
    types.map(async (type) => {
      const { pending: _unsent, ...ends } = samples[type];
      const shown = await byStatus(ends, resultsBy(context), () => 200);
      return Object.entries(shown[200] ?? {}).map(([name, one]) => [
        types.length === 1 ? name : `${type}_${name}`,
        one,
      ]);
    }),
  );
  return Object.fromEntries(all.flat()) as Examples;
}

export async function otherAnswers(
  context: RenderContext,
): Promise<Readonly<Partial<Record<keyof typeof operations, AnswerExamples>>>> {
  const [result, record] = [resultsBy(context), recordsBy(context)];
  const { audio, list, captions } = samples;
  const isWaitedFor = renderAudioRequired(audio.pending.record.id, { isRequested: true });
  const audioRequired = { 202: one('The audio is being downloaded', isWaitedFor, 'audio_required') };
  const page = await Promise.all([audio.success, list.success, captions.failed].map(record));
  const rendering = { ...context, prices: priceTable({}) };
  const profilePriceOf = () => Promise.resolve(rendering.prices.profile);
  const subjects = await subjectsOf({ platforms: PLATFORMS, rendering, profilePriceOf }, SAMPLE.videoId);
  const labels = await keptLabels(context.contents, idOf('speaker_labels'));
  const cancelled = failed(audio.pending.record, { code: 'cancelled', message: 'The job was cancelled.' });
  return {
    requestSpeakerLabels: audioRequired,
    listDownloads: {
      200: one('A page', {
        downloads: page.map(({ value }) => (value as { readonly data: object }).data),
        next_cursor: captions.failed.record.id,
      }),
    },
    getDownload: await byStatus(audio, record, statusOfRead),
    resolve: { 200: one('A video', { subjects }) },
    getResult: await byStatus(audio, result, statusOfRead),
    getJob: {
      200: {
        ...one('A job that ended', renderJobDetails(audio.success.record, undefined, 0.2)),
        ...one('A job that failed', renderJobDetails(audio.failed.record), 'failed'),
      },
    },
    getSpokenWords: { 200: one('The words', await asRead(await renderSpokenWords(SAMPLE.videoId, labels))) },
    nameSpeakers: { 200: one('The names', { status: 'success', speaker_names: labels.names }) },
    cancelDownload: {
      200: { example: await record({ summary: 'The job has stopped', record: cancelled }) },
      202: { example: await record(audio.pending) },
    },
    removeContents: { 200: { example: await record(audio.success) } },
    getTranscript: await byStatus(captions, result, statusOfRead),
    getSpeech: await byStatus(samples.speaker_labels, result, statusOfRead),
    getSpeakerLabels: merged(await byStatus(samples.speaker_labels, result, statusOfRead), audioRequired),
    exportTranscript: await transcriptFiles(context),
    exportSpeakerLabels: await labelFiles(context),
    followDownload: await eventsOf(result, ({ record: of, progress }) => stateOf(of, progress).eventId),
    followDownloads: await eventsOf(record, () => createPositionTracker(undefined, Date.parse(FINISHED_AT)).text(0)),
    ...batchExamples(),
    getAccount: { 200: one('A key with credit', anAccount()) },
    testWebhook: {
      200: {
        ...one('The URL accepted the test', describeTest(204), 'accepted'),
        ...one('The URL gave no answer', describeTest(undefined)),
      },
      400: one('The URL is forbidden', refusedTest, 'refused'),
    },
    listDeliveries: { 200: one('A page', { deliveries: [aDelivery()], next_cursor: null }) },
    redeliverWebhook: { 202: one('A new round of attempts', aDelivery()) },
    checkLive: { 200: one('The process runs', (await checkLive()).body) },
    checkReady: await health(),
    checkHealth: await health(),
  };
}

export function merged(some: AnswerExamples, others: AnswerExamples): AnswerExamples {
  const keys = [...Object.keys(some), ...Object.keys(others)];
  return Object.fromEntries(keys.map((key) => [key, { ...some[key], ...others[key] }]));
}

async function byStatus(
  states: Partial<Samples>,
  render: (sample: Parameters<Rendered>[0], name: keyof Samples) => Promise<Example>,
  statusIn: (record: DownloadRecord) => number,
): Promise<AnswerExamples> {
  let shown: AnswerExamples = {};
  for (const name of Object.keys(states) as (keyof Samples)[]) {
    const sample = states[name];
    if (sample === undefined) continue;
    shown = merged(shown, { [statusIn(sample.record)]: { [name]: await render(sample, name) } });
  }
  return shown;
}

/** A GET answers 200 for a failed job, too. */
function statusOfRead({ status }: DownloadRecord): number {
  return status === 'pending' ? 202 : 200;
}

function statusOf(record: DownloadRecord): number {
  return record.status === 'failed' ? originalStatusOf(record.failure) : statusOfRead(record);
}

async function transcriptFiles({ contents }: RenderContext): Promise<AnswerExamples> {
  const { lines } = await keptFacts<TranscriptFacts>(contents, idOf('captions'));
  return filesOf(transcriptFormatSchema.options, (format) => {
    const { contentType, writer } = TRANSCRIPT_FORMATS[format];
    return { contentType, chunks: () => writtenBy(writer(), lines.pages()) };
  });
}

async function labelFiles({ contents }: RenderContext): Promise<AnswerExamples> {
  const labels = await keptLabels(contents, idOf('speaker_labels'));
  return filesOf(speakerLabelFormatSchema.options, (format) => writeSpeakerLabels(labels, format, SAMPLE.videoId));
}

async function filesOf<Format extends string>(
  formats: readonly Format[],
  write: (format: Format) => { readonly contentType: string; readonly chunks: () => AsyncIterable<string> },
): Promise<AnswerExamples> {
  let files: AnswerExamples = {};
  for (const format of formats) {
    const { contentType, chunks } = write(format);
    files = merged(files, { [contentType]: one(`.${format}`, await textOf(chunks()), format) });
  }
  return files;
}

async function eventsOf(render: Rendered, eventIdOf: (sample: Parameters<Rendered>[0]) => string) {
  const events = [samples.audio.pending, samples.audio.success].map(async (sample) => {
    const { value } = await render(sample);
    return `data: ${JSON.stringify(value)}\nid: ${eventIdOf(sample)}\n\n`;
  });
  const text = ['retry: 2000\n\n', ...(await Promise.all(events))].join('');
  return { [EVENT_STREAM]: one('A job runs and ends', text) };
}

function anAccount(): object {
  const keyId = '3f9c2a7be4d05816';
  const { id: recordId, type, mediaId, price: amount } = samples.audio.success.record;
  return renderAccount(
    { id: keyId, name: 'app', scopes: ['read', 'jobs'], createdAt: CREATED_AT },
    { keyId, isUnlimited: false, granted: 1000, available: 985, spent: amount },
    { entries: [{ recordId, keyId, type, mediaId, amount, bookedAt: FINISHED_AT }], isLast: true },
  );
}

function aDelivery(): object {
  const recordId = idOf('audio');
  return renderDelivery({
    ...{ id: deliveryIdOf(recordId, 1), recordId, url: 'https://example.com/hooks/media' },
    ...{ endpoint: kinds.audio.endpoint, state: 'pending', createdAt: FINISHED_AT },
    attempts: [{ number: 1, startedAt: FINISHED_AT, durationMs: 212, statusCode: 503 }],
  });
}

async function health(): Promise<AnswerExamples> {
  const bodyWhile = async (mongodb: 'ok' | 'unavailable') =>
    (await checkHealth({ checkEngines: () => Promise.resolve({ temporal: 'ok', mongodb }) })).body;
  return {
    200: one('All engines are reachable', await bodyWhile('ok')),
    503: one('An engine cannot be reached', await bodyWhile('unavailable')),
  };
}
