import { defineSearchAttributeKey, SearchAttributeType, type TypedSearchAttributes } from '@temporalio/common';
import type { JobInput } from '../contract/jobs.ts';

/** Search attributes of every job, by which operators find its workflow. All are keywords. */
export const SEARCH_ATTRIBUTES = {
  type: 'TapedeckType',
  mediaId: 'TapedeckMediaId',
  downloadId: 'TapedeckDownloadId',
} as const;

/** Of a column of MySQL or PostgreSQL; the longest names of channels are longer. */
const KEYWORD_MAX_CHARS = 255;

/** The search attributes of one job. */
export function searchAttributesOf(
  input: JobInput,
): NonNullable<ConstructorParameters<typeof TypedSearchAttributes>[0]> {
  const keyword = (name: string, value: string) => ({
    key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
    value: Array.from(value).slice(0, KEYWORD_MAX_CHARS).join(''),
  });
  return [
    keyword(SEARCH_ATTRIBUTES.type, input.type),
    keyword(SEARCH_ATTRIBUTES.mediaId, input.mediaId),
    keyword(SEARCH_ATTRIBUTES.downloadId, input.recordId),
  ];
}
