import type { PostReference } from './imgnet-urls.ts';
import type { SpeakerLabelsParameters } from './kinds/speaker-labels.ts';
import type { DownloadRecord, RecordType } from './records.ts';

/**
 * A subject is what a job is about; its ID is the Temporal workflow ID, so that one subject never has two open jobs.
 * The parts are validated ids, which contain no slash. Only those of channels can be too long, see `channelSubjectOf`.
 */
export function subjectIdOf(type: RecordType, ...parts: readonly string[]): string {
  return [type, ...parts].join('/');
}

const LIST_PARTS = { imgnet_list_posts: 'imgnet_list_reels', imgnet_list_reels: 'imgnet_list_posts' } as const;

/** @returns what is the other part of the same list; undefined for what is no part of a list */
export function otherListPartOf({ type, subjectId }: Pick<DownloadRecord, 'type' | 'subjectId'>) {
  if (type !== 'imgnet_list_posts' && type !== 'imgnet_list_reels') return undefined;
  const other = LIST_PARTS[type];
  return { type: other, subjectId: other + subjectId.slice(type.length) };
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
  return [labelsOfAudio(audioId), ...told].join('/');
}

/** The subject of the labels of an audio when the caller says nothing about it. */
export function labelsOfAudio(audioId: string): string {
  return subjectIdOf('speaker_labels', audioId);
}

/** What all subjects of one audio stand below, by whose id callers ask for them; undefined for other kinds of jobs. */
export function subjectAbove({ parameters }: Pick<DownloadRecord, 'parameters'>): string | undefined {
  const { audioId } = (parameters ?? {}) as Partial<SpeakerLabelsParameters>;
  return audioId === undefined ? undefined : labelsOfAudio(audioId);
}
