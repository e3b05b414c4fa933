import type { PostReference } from '../urls/imgnet-urls.ts';
import type { SpeakerLabelsParameters } from './speaker-labels.ts';
import type { DownloadRecord, RecordType } from '../download-record.ts';

/** Also the Workflow ID, so that a subject never has two open jobs. The parts are validated IDs without slashes. */
export function subjectIdOf(type: RecordType, ...parts: readonly string[]): string {
  return [type, ...parts].join('/');
}

const LIST_PARTS = { imgnet_list_posts: 'imgnet_list_reels', imgnet_list_reels: 'imgnet_list_posts' } as const;

/** @returns the subject of the other part of the same list; undefined for a subject that is not part of a list */
export function otherListPartOf({ type, subjectId }: Pick<DownloadRecord, 'type' | 'subjectId'>) {
  if (type !== 'imgnet_list_posts' && type !== 'imgnet_list_reels') return undefined;
  const other = LIST_PARTS[type];
  return { type: other, subjectId: other + subjectId.slice(type.length) };
}

/** The content of a post or reel. The two kinds of URL have different results, so they are two subjects. */
export function postSubjectOf({ kind, shortcode }: PostReference): string {
  return subjectIdOf('imgnet_post', kind === 'reel' ? 'reel' : 'p', shortcode);
}

/** The speaker labels of an audio. The options of the request change the result, so they are part of the subject. */
export function speakerLabelsSubjectOf({
  audioId,
  language,
  minSpeakers,
  maxSpeakers,
}: SpeakerLabelsParameters): string {
  const options = [
    ...(language === undefined ? [] : [`language-${language}`]),
    ...(minSpeakers === undefined ? [] : [`min-${String(minSpeakers)}`]),
    ...(maxSpeakers === undefined ? [] : [`max-${String(maxSpeakers)}`]),
  ];
  return [labelsOfAudio(audioId), ...options].join('/');
}

export function labelsOfAudio(audioId: string): string {
  return subjectIdOf('speaker_labels', audioId);
}

/** The common prefix of all speaker-label subjects of one audio; undefined for other kinds of jobs. */
export function subjectAbove({ parameters }: Pick<DownloadRecord, 'parameters'>): string | undefined {
  const { audioId } = (parameters ?? {}) as Partial<SpeakerLabelsParameters>;
  return audioId === undefined ? undefined : labelsOfAudio(audioId);
}
