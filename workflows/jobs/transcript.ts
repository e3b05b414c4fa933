import type { TranscriptJob } from '../../contract/kinds/transcript.ts';
import type { JobEnd } from '../lifecycle/job-end.ts';
import { runJob } from '../lifecycle/run-job.ts';

/** The captions of a video in a language, with its comments when they were asked for. */
export function transcript(input: TranscriptJob): Promise<JobEnd> {
  const { recordId, mediaId, parameters } = input;
  return runJob(input, async (useUpstream) => {
    const { language } = parameters;
    const title = `Fetch the captions of video ${mediaId} in ${language}`;
    const captions = await useUpstream('vidnet-page', title).fetchTranscript({ recordId, mediaId, language });
    if (!parameters.includeComments) return captions;
    const { fetchComments } = useUpstream('vidnet-comments', `Fetch the comments of video ${mediaId}`);
    const comments = await fetchComments({ recordId, mediaId });
    return { ...captions, ...comments };
  });
}
