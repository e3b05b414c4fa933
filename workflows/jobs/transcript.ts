import type { TranscriptJob } from '../../contract/kinds/transcript.ts';
import { runJob } from '../lifecycle/run-job.ts';

/** The captions of a video in a language, and its comments if they were requested. */
export function transcript(input: TranscriptJob) {
  const { recordId, mediaId, parameters } = input;
  return runJob(input, async (useUpstream) => {
    const { language, includeComments } = parameters;
    const title = `Fetch the captions of video ${mediaId} in ${language}`;
    const captions = await useUpstream('vidnet-page', title).fetchTranscript({ recordId, mediaId, language });
    if (!includeComments) return captions;
    const { fetchComments } = useUpstream('vidnet-comments', `Fetch the comments of video ${mediaId}`);
    return { ...captions, ...(await fetchComments({ recordId, mediaId })) };
  });
}
