/** Limits of the specification, section 8, and of the requests themselves. */
export const REQUEST_BODY_MAX_BYTES = 64 * 1024;
export const WEBHOOK_URL_MAX_CHARS = 2048;
/** The most webhooks of one job: each may receive tens of megabytes, four times. */
export const WEBHOOKS_PER_JOB_MAX = 20;
/** The most webhooks of one job that one caller may have at one host. */
export const WEBHOOKS_PER_HOST_MAX = 3;
/** Most attempts of one delivery, all rounds together. */
export const DELIVERY_ATTEMPTS_MAX = 100;
/** Most rounds a minute that one caller may have repeated at one host: each may send tens of megabytes, for nothing. */
export const REDELIVERIES_PER_MINUTE_MAX = 20;
/** Longest `Prefer: wait=N` (RFC 7240) that is honoured. */
export const PREFER_WAIT_MAX_SECONDS = 60;
/** Poll interval told by `Retry-After` of a pending answer. */
export const POLL_INTERVAL_SECONDS = 30;
/** The same for lists, which take minutes. */
export const LIST_POLL_INTERVAL_SECONDS = 60;
/** How long a `list_id` can be used after its profile was fetched. */
export const LIST_ID_VALID_MS = 3_600_000;
/** How long `last_response` tells of a failure. */
export const LAST_RESPONSE_MS = 30 * 60_000;
export const MAX_AGE_DAYS_MAX = 999_999;
/** How long POST /api/transcripts and /api/channel/profile wait for the result, unless the configuration or the caller says otherwise. */
export const DEFAULT_WAIT_SECONDS = 25;
/** Most speakers that a request for speaker labels may name. */
export const SPEAKERS_MAX = 20;
/** Most records on a page of GET /api/downloads. */
export const LIST_MAX_ITEMS = 200;
/**
 * Most text of a video's captions, in bytes of UTF-8. A day of speech in which nobody pauses is 1.3 MB in English and as much
 * in Japanese.
 */
export const CAPTIONS_MAX_BYTES = 4 * 1024 * 1024;
export const CAPTION_LINES_MAX = 100_000;
/** A longer line of captions is parted: minutes of speech at once, which nobody can read on a screen. */
export const CAPTION_LINE_MAX_CHARS = 2_000;
/** Longest text of a comment; the platform allows half of it. */
export const COMMENT_MAX_CHARS = 20_000;
/** About as much JSON as one document holds and one turn of the event loop takes, in characters. */
export const PIECE_MAX_CHARS = 128 * 1024;
/** Most items of a piece. */
export const PIECE_MAX_ITEMS = 500;
