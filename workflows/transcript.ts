import type { TranscriptJob } from '../contract/kinds/transcript.ts';
import { fetchActivities } from './activities.ts';
import { runJob } from './life-cycle.ts';

/** The captions of a video in a language, with its comments when they were asked for. */
export function transcript(input: TranscriptJob): Promise<void> {
  const { recordId, mediaId, parameters } = input;
  return runJob(input, async (withPermit) => {
    const { language } = parameters;
    const { fetchTranscript } = fetchActivities(`Fetch the captions of video ${mediaId} in ${language}`);
    const captions = await withPermit('vidnet-page', () => fetchTranscript({ recordId, mediaId, language }));
    if (!parameters.includeComments) return captions;
    const { fetchComments } = fetchActivities(`Fetch the comments of video ${mediaId}`);
    const comments = await withPermit('vidnet-comments', () => fetchComments({ recordId, mediaId }));
    return { ...captions, ...comments };
  });
}
