/** Type of the failure of an activity whose snapshot the provider no longer has: it must be collected again. */
export const SNAPSHOT_LOST = 'snapshot-lost';
