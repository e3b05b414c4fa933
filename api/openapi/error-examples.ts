import { ApiError, type ErrorBody, type ErrorCode } from '../../contract/http/api-error.ts';
import { idOf } from './sample-records.ts';

type Extras = ConstructorParameters<typeof ApiError>[2];

const forbidden = 'The host 10.0.0.1 is not public.';
const ofAudio = { id: idOf('audio') };
const errors: Readonly<Record<ErrorCode, string | readonly [message: string, extras: Extras]>> = {
  invalid_input: ['url: must be a URL', { details: [{ path: 'url', message: 'must be a URL' }] }],
  invalid_json: 'The body is not valid JSON.',
  webhook_target_forbidden: [forbidden, { details: [{ path: 'include_webhook', message: forbidden }] }],
  audio_failed: ['The audio could not be downloaded: The video is private.', ofAudio],
  unauthorized: 'An API key is needed: Authorization: Bearer td_…',
  insufficient_credit: [
    'This costs 0.010, and the key "app" has 0.004 left. Nothing was started.',
    { money: { price: '0.010', credit: '0.004' } },
  ],
  forbidden: 'This API key lacks the scope "jobs".',
  link_invalid: 'The link is not valid or has expired. Get the download again for a new one.',
  not_found: 'There is no download with this id.',
  method_not_allowed: 'This path takes GET, HEAD only.',
  request_timeout: 'The request did not arrive to its end in time.',
  pending_duplicate: ['A pending download already exists for this video.', ofAudio],
  already_finished: ['The download has ended already; there is nothing to cancel.', ofAudio],
  not_ready: ['The transcript is being fetched.', { id: idOf('captions') }],
  contents_in_use: ['Others have requested this too, so its contents are kept. An operator can remove them.', ofAudio],
  delivery_pending: 'The webhook is still being delivered. Wait until it has ended.',
  idempotency_key_in_use: 'The first request with this Idempotency-Key still runs.',
  too_many_webhooks: 'This job has 100 webhooks, which is the maximum.',
  list_id_expired: 'The list_id is older than one hour. Request the profile again.',
  precondition_failed: 'The file is not the one that the request names.',
  body_too_large: 'The body is larger than 64 KiB.',
  encoding_not_supported: 'Content-Encoding: gzip is not supported. Send the body without it.',
  range_not_satisfiable: 'The range lies outside the file.',
  idempotency_key_reused: 'This Idempotency-Key was sent with another request.',
  answers_unread: 'Too many large answers were requested and are not read yet.',
  rate_limited: 'More than 90 requests a minute.',
  internal: 'Something went wrong on our side.',
  unavailable: 'The job engine (Temporal) cannot be reached. Try again soon.',
};

export const errorExamples = Object.fromEntries(
  Object.entries(errors).map(([code, example]) => {
    const [message, extras] = typeof example === 'string' ? [example] : example;
    return [code, new ApiError(code as ErrorCode, message, extras).toBody()];
  }),
) as Readonly<Record<ErrorCode, ErrorBody>>;

/** The error of POST /api/webhook/test for a URL whose text alone shows that it is forbidden. */
export const refusedTest: object = new ApiError('webhook_target_forbidden', forbidden, {
  details: [{ path: 'url', message: forbidden }],
  fields: { status: 'error', message: forbidden, http_status: 0 },
}).toBody();
