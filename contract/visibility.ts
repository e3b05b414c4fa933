/** Search attributes of every job, by which operators find its workflow. All are keywords. */
export const SEARCH_ATTRIBUTES = {
  type: 'TapedeckType',
  mediaId: 'TapedeckMediaId',
  downloadId: 'TapedeckDownloadId',
} as const;
