import type { TranscriptJob } from '../contract/kinds/transcript.ts';
import { fetchActivities } from './activities.ts';
import type { JobEnd } from './job-end.ts';
import { runJob } from './life-cycle.ts';

/** The captions of a video in a language, with its comments when they were asked for. */
export function transcript(input: TranscriptJob): Promise<JobEnd> {
  const { recordId, mediaId, parameters } = input;
  return runJob(input, async (useUpstream) => {
    const { language } = parameters;
    const title = `Fetch the captions of video ${mediaId} in ${language}`;
    const captions = await useUpstream('vidnet-page', (place) =>
      fetchActivities(place, title).fetchTranscript({ recordId, mediaId, language }),
    );
    if (!parameters.includeComments) return captions;
    const comments = await useUpstream('vidnet-comments', (place) =>
      fetchActivities(place, `Fetch the comments of video ${mediaId}`).fetchComments({ recordId, mediaId }),
    );
    return { ...captions, ...comments };
  });
}
