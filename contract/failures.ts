/** Who must act: nobody can help a private video; the platform may recover; the rest is for the operator. */
export type Fault = 'subject' | 'upstream' | 'ours';

/** Every reason for which a job may fail, with its fault. The names are stable: records and dashboards keep them. */
export const FAILURE_FAULTS = {
  private: 'subject',
  removed: 'subject',
  geo_blocked: 'subject',
  age_restricted: 'subject',
  members_only: 'subject',
  live: 'subject',
  not_started: 'subject',
  drm_protected: 'subject',
  no_audio: 'subject',
  no_video: 'subject',
  no_captions: 'subject',
  too_long: 'subject',
  too_large: 'subject',
  unsupported: 'subject',
  rate_limited: 'upstream',
  quota_exceeded: 'upstream',
  sign_in_required: 'upstream',
  upstream_error: 'upstream',
  upstream_timeout: 'upstream',
  incomplete: 'upstream',
  cancelled: 'ours',
  tool_missing: 'ours',
  disk_full: 'ours',
  internal: 'ours',
} as const satisfies Record<string, Fault>;

export type FailureCode = keyof typeof FAILURE_FAULTS;

/** Why a job failed; `message` is a plain sentence for the caller. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
}

/** The end of a job whose workflow was terminated, which ends no record itself. */
export const STOPPED_BY_OPERATOR: Failure = { code: 'cancelled', message: 'The job was stopped by an operator.' };

/** The end of a job that was under way when the copy was made from which the service was restored. */
export const LOST_IN_RESTORE: Failure = {
  // Not `cancelled`, which costs what a provider was asked for: no caller has stopped it.
  code: 'internal',
  message: 'The service was restored from a copy that was made while this job was under way. Ask for it again.',
};

/** The HTTP status that a webhook of the failed job reports (specification, section 6). */
export function originalStatusOf(failure: Failure): 400 | 500 {
  return FAILURE_FAULTS[failure.code] === 'subject' ? 400 : 500;
}
