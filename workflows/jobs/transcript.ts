import type { JobResult } from '../../contract/download-record.ts';
import type { TranscriptJob } from '../../contract/kinds/transcript-request.ts';
import { awaitingActivities } from '../activity-proxies.ts';
import { upstreamFailure } from '../lifecycle/job-outcome.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { whileJobRuns } from '../lifecycle/while-waiting.ts';

const REASON = 'What is spoken is being transcribed.';

/** The captions of a video or page in a language, or else what is spoken, and its comments if they were requested. */
export function transcript(input: TranscriptJob) {
  const { recordId, mediaId, parameters } = input;
  return runJob(input, async (useUpstream) => {
    const { includeComments, speechId: _speechId, url, ...wanted } = parameters;
    const { page, language, mode } = wanted;
    const use = page?.site === undefined ? 'vidnet-page' : (`site/${page.site}` as const);
    const subject = page?.url ?? `video ${mediaId}`;
    const title = mode === 'generate' ? `Look at ${subject}` : `Fetch the captions of ${subject} in ${language}`;
    // Posts of the photo platform have no captions.
    const isPost = url !== undefined && page === undefined;
    const { isMissing, ...captions } = isPost
      ? { isMissing: true as const }
      : await useUpstream(use, title).fetchTranscript({ recordId, mediaId, ...wanted });
    const text = isMissing === true ? { ...captions, ...(await awaitSpeech(input)) } : captions;
    if (!includeComments) return text;
    const { fetchComments } = useUpstream('vidnet-comments', `Fetch the comments of video ${mediaId}`);
    return { ...text, ...(await fetchComments({ recordId, mediaId })) };
  });
}

/**
 * Transcribes what is spoken by the job of POST /api/speech, which all who need it share. If others cancel theirs, this job
 * starts its own.
 *
 * @throws the failure of that job
 */
async function awaitSpeech({ recordId, parameters }: TranscriptJob): Promise<JobResult> {
  for (;;) {
    const { job, ...begun } = await awaitingActivities('Start the transcription').beginSpeech(recordId);
    const isOwn = job?.recordId === parameters.speechId;
    const { result, failure } =
      job === undefined
        ? begun
        : await whileJobRuns({ ...job, reason: REASON, isOwn }, (activities) =>
            activities.awaitSpeech({ recordId, speechId: job.recordId }),
          );
    if (result !== undefined) return result;
    const isLost = job !== undefined && !isOwn && failure?.code === 'cancelled';
    if (failure !== undefined && !isLost) throw upstreamFailure(failure);
  }
}
