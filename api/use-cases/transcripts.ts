import { transcriptPrice } from '../../contract/kinds/transcript.ts';
import type { TranscriptParameters, TranscriptRequest } from '../../contract/kinds/transcript-request.ts';
import type { TranscriptFacts } from '../../contract/kinds/transcript-facts.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { keptFacts } from '../../contract/kinds/contents.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { TRANSCRIPT_FORMATS, writtenBy, type TranscriptFormat } from '../../contract/text/transcript-formats.ts';
import { ulid } from 'ulid';
import type { MediaParameters } from '../../contract/kinds/media.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { PlanDeps, ServiceDeps } from '../service-deps.ts';
import type { ExportedText } from '../operations/operation.ts';
import { yieldingChunks } from '../http/yielding-chunks.ts';
import { finishedTranscript, gettingTranscript, transcriptRecord, type OneDownload } from './current-job.ts';
import { requesting, type JobPlan } from './request-job.ts';
import { refuseUnknownLanguage } from './speaker-labels.ts';
import { audioOf, needsFetch, requireSpeechCredit } from './speech.ts';

/** POST /api/transcripts: the captions of a video or page, or what is spoken. */
export const requestTranscript = requesting(async (deps, request: TranscriptRequest, caller) => {
  const plan = planTranscript(deps, request);
  if (request.mode === 'generate' && (await needsFetch(deps, plan))) await checkSpeech(deps, caller, request);
  return plan;
});

type WantedTranscript = Partial<Omit<TranscriptRequest, 'include_webhook'>>;

const WITHOUT_CAPTIONS = 'is a post of the photo platform, which has no captions: use the mode auto or generate';
const WITHOUT_COMMENTS = 'is for videos of the video platform';

export function planTranscript(deps: PlanDeps, request: WantedTranscript): JobPlan<'captions'> {
  const { language, include_comments: includeComments = false } = request;
  const mode = request.mode === 'native' ? undefined : request.mode;
  const { type, mediaId, parameters: ofSound } = audioOf(deps, request);
  const isVideo = type === 'audio';
  if (type === 'imgnet_audio' && mode === undefined) throw invalidField('url', WITHOUT_CAPTIONS);
  if (!isVideo && includeComments) throw invalidField('include_comments', WITHOUT_COMMENTS);
  const languages = [...new Set([language ?? []].flat())];
  const { page, site } = (ofSound ?? {}) as Partial<MediaParameters>;
  const parameters: TranscriptParameters = {
    language: languages[0],
    languages: languages.length > 1 ? languages : undefined,
    ...{ includeComments, mode, speechId: mode && ulid() },
    url: isVideo ? undefined : request.url,
    page: page && { url: page.url, site },
  };
  const options = [languages.join(','), includeComments ? 'comments' : '', mode === undefined ? '' : `mode-${mode}`];
  const parts = [isVideo ? '' : type, mediaId, ...options].filter((part) => part !== '');
  return {
    ...{ type: 'captions', mediaId, parameters },
    // No language has a name like the other options.
    subjectId: subjectIdOf('captions', ...parts),
    price: transcriptPrice(deps.rendering.prices, parameters),
  };
}

/** Refuses what the transcription would refuse later. */
async function checkSpeech(deps: ServiceDeps, caller: Caller, request: TranscriptRequest): Promise<void> {
  const [language, ...others] = [request.language ?? []].flat();
  await refuseUnknownLanguage(deps, others.length === 0 ? language : undefined, () => Promise.resolve(true));
  const audio = audioOf(deps, request);
  await requireSpeechCredit(deps, caller, (await needsFetch(deps, audio)) ? audio.price : 0);
}

/** GET /api/transcripts/{downloadId}: the current state of a transcript. It starts nothing and is free. */
export const getTranscript = gettingTranscript('captions');

/** GET /api/transcripts/{downloadId}.srt, .vtt and .txt: the captions as a file. */
export async function exportTranscript(
  deps: ServiceDeps,
  caller: Caller,
  { download_id: id, format }: OneDownload & { readonly format: TranscriptFormat },
): Promise<ExportedText> {
  const found = await transcriptRecord(deps, caller, { id, type: 'captions' });
  const record = await finishedTranscript(deps, found, 'The transcript is being fetched.');
  const { lines, track } = await keptFacts<TranscriptFacts>(deps.rendering.contents, id);
  const { contentType, writer } = TRANSCRIPT_FORMATS[format];
  return {
    name: `${record.mediaId}.${track.language}.${format}`,
    contentType,
    open: () => yieldingChunks(writtenBy(writer(), lines.pages())),
  };
}
