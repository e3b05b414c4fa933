/** Search attributes of every job, by which operators find its workflow. All are keywords. */
export const SEARCH_ATTRIBUTES = {
  type: 'TapedeckType',
  mediaId: 'TapedeckMediaId',
  downloadId: 'TapedeckDownloadId',
} as const;

/** Memo field that tells a second caller which record the running job fills. */
export const MEMO_RECORD_ID = 'recordId';
