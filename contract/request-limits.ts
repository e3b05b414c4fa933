export const REQUEST_BODY_MAX_BYTES = 64 * 1024;
/** The largest body of POST /api/batches. */
export const BATCH_BODY_MAX_BYTES = 4 * 1024 * 1024;
export const BATCH_ITEMS_MAX = 10_000;
export const BATCH_NAME_MAX_CHARS = 200;
/** How many items of a batch are stored in one document. */
export const BATCH_PIECE_ITEMS = 20;
/** The most feeds of one caller. */
export const FEEDS_MAX = 100;
/** From how many of the newest batches of its subscription a feed takes downloads. */
export const FEED_BATCHES_MAX = 500;
/** How many of the newest downloads of its source a feed lists. */
export const FEED_RECORDS_MAX = 200;
export const WEBHOOK_URL_MAX_CHARS = 2048;
/** The most webhooks of one job. Each may receive tens of megabytes, four times. */
export const WEBHOOKS_PER_JOB_MAX = 100;
/** The most webhooks of one job that one caller may have at one host. */
export const WEBHOOKS_PER_HOST_MAX = 3;
/** The most attempts of one delivery, over all rounds. */
export const DELIVERY_ATTEMPTS_MAX = 100;
/** The most redeliveries per minute of one caller to one host. Each may send tens of megabytes at no charge. */
export const REDELIVERIES_PER_MINUTE_MAX = 20;
/** The longest `Prefer: wait=N` (RFC 7240) that is honoured. */
export const PREFER_WAIT_MAX_SECONDS = 60;
/** The poll interval in `Retry-After` of a pending answer. */
export const POLL_INTERVAL_SECONDS = 30;
/** The poll interval of lists, which take minutes. */
export const LIST_POLL_INTERVAL_SECONDS = 60;
/** How long a `list_id` is valid after it was returned. */
export const LIST_ID_VALID_MS = 3_600_000;
export const LAST_RESPONSE_MS = 30 * 60_000;
export const MAX_AGE_DAYS_MAX = 999_999;
/** The default time for which POST /api/transcripts and /api/channel/profile wait for the result. */
export const DEFAULT_WAIT_SECONDS = 25;
export const SPEAKERS_MAX = 20;
/** The most languages of a request for a transcript, in the order of preference. */
export const TRANSCRIPT_LANGUAGES_MAX = 10;
export const LIST_MAX_ITEMS = 200;
/** The most items on a page of the list in a result. */
export const RESULT_PAGE_MAX_ITEMS = 1_000;
export const CAPTIONS_MAX_MEGABYTES = 4;
/** The longest captions of a video, in UTF-8. A day of speech without pauses is 1.3 MB, in English and in Japanese. */
export const CAPTIONS_MAX_BYTES = CAPTIONS_MAX_MEGABYTES * 1024 * 1024;
export const CAPTION_LINES_MAX = 100_000;
/** A longer caption line is split, because minutes of speech at once cannot be read on a screen. */
export const CAPTION_LINE_MAX_CHARS = 2_000;
/** The longest text of a comment; the platform allows half of it. */
export const COMMENT_MAX_CHARS = 20_000;
/** The most JSON characters of a piece. It fits into one document, and parsing it does not block the event loop for long. */
export const PIECE_MAX_CHARS = 128 * 1024;
export const PIECE_MAX_ITEMS = 500;
/** The JSON of a piece of a list, which is only parsed for its pages. Each read of a piece costs a database operation. */
export const LIST_PIECE_MAX_BYTES = 512 * 1024;
