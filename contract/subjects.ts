import type { PostReference } from './imgnet/urls.ts';
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

/** The workflow that delivers the result of a record to its n-th subscriber (counted from 1). */
export function deliveryIdOf(recordId: string, subscriber: number): string {
  return `webhook/${recordId}/${String(subscriber)}`;
}
