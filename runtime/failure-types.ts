/** Failure type of an activity whose snapshot the provider has lost, so that it must be collected again. */
export const SNAPSHOT_LOST = 'snapshot-lost';
