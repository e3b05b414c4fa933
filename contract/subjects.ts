import type { PostReference } from './imgnet/urls.ts';
import type { SpeakerLabelsParameters } from './job-parameters.ts';
import type { RecordType } from './records.ts';

/**
 * A subject is what a job is about; its ID is the Temporal workflow ID, so that one subject never has two open jobs.
 * The parts are validated ids, which contain no slash.
 */
export function subjectIdOf(type: RecordType, ...parts: readonly string[]): string {
  return [type, ...parts].join('/');
}

/** The content of a post or reel. The two kinds of URL are answered from different data, so they are two subjects. */
export function postSubjectOf({ kind, shortcode }: PostReference): string {
  return subjectIdOf('imgnet_post', kind === 'reel' ? 'reel' : 'p', shortcode);
}

/** The speaker labels of an audio. What the caller says about the audio changes the result, and so the subject. */
export function speakerLabelsSubjectOf({
  audioId,
  language,
  minSpeakers,
  maxSpeakers,
}: SpeakerLabelsParameters): string {
  const told = [
    ...(language === undefined ? [] : [`language-${language}`]),
    ...(minSpeakers === undefined ? [] : [`min-${String(minSpeakers)}`]),
    ...(maxSpeakers === undefined ? [] : [`max-${String(maxSpeakers)}`]),
  ];
  return subjectIdOf('speaker_labels', audioId, ...told);
}

/** The workflow that delivers the result of a record to its n-th subscriber (counted from 1). */
export function deliveryIdOf(recordId: string, subscriber: number): string {
  return `webhook/${recordId}/${String(subscriber)}`;
}
