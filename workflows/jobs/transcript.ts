import type { TranscriptJob } from '../../contract/kinds/transcript-request.ts';
import { runJob } from '../lifecycle/run-job.ts';
import { awaitSpeech } from './await-speech.ts';

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
      ? { isMissing: true }
      : await useUpstream(use, title).fetchTranscript({ recordId, mediaId, ...wanted });
    const text = isMissing === true ? { ...captions, ...(await awaitSpeech(input)) } : captions;
    if (!includeComments) return text;
    const { fetchComments } = useUpstream('vidnet-comments', `Fetch the comments of video ${mediaId}`);
    return { ...text, ...(await fetchComments({ recordId, mediaId })) };
  });
}
