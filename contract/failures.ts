/** Who can act: nobody (`subject`), the platform, which may recover (`upstream`), or the operator (`internal`). */
export type Fault = 'subject' | 'upstream' | 'internal';

/** @param message text with `{name}` for each value that the failure supplies */
const subject = <const Code extends string, const Message extends string>(code: Code, message: Message) =>
  ({ code, fault: 'subject', status: 400, message }) as const;
const upstream = <const Code extends string, const Message extends string>(code: Code, message: Message) =>
  ({ code, fault: 'upstream', status: 500, message }) as const;
const internal = <const Code extends string, const Message extends string>(code: Code, message: Message) =>
  ({ code, fault: 'internal', status: 500, message }) as const;

/**
 * Every reason for which a job may fail: its code, its fault, the sentence for the caller and the HTTP status of the
 * answer and webhook (specification, section 6). Codes are stable: records and dashboards keep them. `{subject}` is a
 * video, channel or page, and `{upstream}` the video platform or the site.
 */
export const FAILURES = {
  isPrivate: subject('private', 'The {subject} is private.'),
  signedInOnly: subject('private', 'The {subject} is only shown to people who have signed in.'),
  channelHidesVideos: subject('private', 'The channel does not show its videos to everyone.'),
  accountIsPrivate: subject('private', 'The account is private.'),

  subjectRemoved: subject('removed', 'The {subject} was removed or does not exist.'),
  accountRemoved: subject('removed', 'The account or post was removed or does not exist.'),
  addressEmpty: subject('removed', 'The platform has nothing at this address.'),
  audioRemoved: subject(
    'removed',
    'The audio is no longer stored. Download it again, and use the id of the new download.',
  ),

  geoBlocked: subject('geo_blocked', 'The {subject} is not available in the country of this service.'),
  ageRestricted: subject('age_restricted', 'The {subject} is age-restricted.'),
  membersOnly: subject('members_only', 'The {subject} is for members only.'),
  paymentRequired: subject('members_only', 'The {subject} must be paid for.'),
  isLive: subject('live', 'The {subject} is a live broadcast that has not ended.'),
  notStarted: subject('not_started', 'The {subject} has not been published yet.'),
  drmProtected: subject('drm_protected', 'The {subject} is protected against copying.'),

  noAudio: subject('no_audio', 'The video has no audio.'),
  noFetchableAudio: subject('no_audio', 'The {subject} has no audio that can be fetched.'),
  noVideo: subject('no_video', 'The media has sound but no pictures.'),
  noCaptions: subject('no_captions', 'The video has no captions.'),
  noCaptionsInLanguage: subject('no_captions', 'There are no captions in `{language}`. There are: {languages}.'),
  captionsEmpty: subject('no_captions', 'The captions in `{language}` are empty.'),
  captionTracksEmpty: subject('no_captions', 'The captions in `{language}` are empty: {tracks} tracks were read.'),

  videoTooLong: subject('too_long', 'The video is longer than this service accepts.'),

  videoTooLarge: subject('too_large', 'The video is larger than this service accepts.'),
  mediaTooLarge: subject('too_large', 'The media is larger than this service accepts.'),
  upstreamDataTooLarge: subject('too_large', 'What the {upstream} sends is larger than this service accepts.'),
  pageTooLarge: subject('too_large', 'The {page} is larger than this service accepts.'),
  entryTooLarge: subject('too_large', "The channel's list has an entry that is larger than this service accepts."),
  picturesTooTall: subject(
    'too_large',
    'The pictures of the video are {height} pixels tall; this service accepts {maxHeight}.',
  ),
  mediaTooMuchMemory: subject('too_large', 'The media takes more memory than this service allows.'),
  mediaTooMuchWork: subject('too_large', 'The media takes more work than this service spends on it.'),
  mediaTooSlow: subject(
    'too_large',
    'The media arrives so slowly that fetching it takes longer than this service allows.',
  ),
  fetchTooLong: subject('too_large', 'Fetching the media takes longer than this service allows.'),
  captionsTooLarge: subject('too_large', 'The captions are larger than this service accepts.'),
  captionsTooMuchText: subject(
    'too_large',
    'The captions hold more text than {maxMegabytes} MB, which is more than this service accepts.',
  ),
  captionsTooManyLines: subject(
    'too_large',
    'The captions have more than {maxLines} lines, which this service does not accept.',
  ),

  addressForbidden: subject('unsupported', 'The platform links to an address that must not be called.'),
  mediaUnreadable: subject('unsupported', 'The media of the platform cannot be read.'),
  pageUnreadable: subject('unsupported', 'The {page} cannot be read.'),
  pageTooSlow: subject('unsupported', 'The {page} took too long to read.'),
  pageTooMuchWork: subject('unsupported', 'The {page} takes more work than this service spends on it.'),
  fileTooMuchWork: subject('unsupported', 'The media takes more work than this service spends on it.'),
  pageWithoutMedia: subject('unsupported', 'The page holds no media.'),
  pageWithManyVideos: subject('unsupported', 'The page holds several videos. Request one of them by its own page.'),
  datasetAddressUnreadable: subject('unsupported', 'The dataset API cannot read this address.'),
  englishOnly: subject('unsupported', 'The builtin speech engine supports English only.'),
  languageUnsupported: subject(
    'unsupported',
    'The speech engine does not support the language {language}; it supports {languages}.',
  ),
  speechServerLanguageUnsupported: subject('unsupported', 'The speech server does not support this language.'),

  platformRateLimited: upstream('rate_limited', 'The {upstream} limits the rate of requests.'),
  mediaHostRateLimited: upstream('rate_limited', "The platform's media host limits the rate of requests."),
  datasetRateLimited: upstream('rate_limited', 'The dataset API limits the rate of requests.'),
  datasetPlatformRateLimited: upstream('rate_limited', 'The platform limits the rate of requests of the dataset API.'),
  dataApiRateLimited: upstream('rate_limited', 'The Data API limits the rate of requests.'),
  speechRateLimited: upstream('rate_limited', 'The speech server limits the rate of requests.'),
  dataApiQuotaExceeded: upstream('quota_exceeded', 'The daily quota of the Data API is used up.'),
  speechQuotaExceeded: upstream(
    'quota_exceeded',
    'The account at the speech server has no credit left; the operator must add credit.',
  ),
  signInRequired: upstream('sign_in_required', 'The {upstream} requires a sign-in from this address.'),
  cookiesExpired: upstream(
    'sign_in_required',
    'The {upstream} requires a sign-in, and the cookies in YTDLP_COOKIES_FILE have expired.',
  ),

  upstreamFailed: upstream('upstream_error', 'The {upstream} could not be read.'),
  upstreamUnreachable: upstream('upstream_error', 'The {upstream} cannot be reached.'),
  mediaLinkExpired: upstream(
    'upstream_error',
    'The {upstream} no longer offers the media that it listed a moment ago.',
  ),
  mediaHostFailed: upstream('upstream_error', "The platform's media host could not deliver."),
  mediaHostUnreachable: upstream('upstream_error', "The platform's media host could not be reached."),
  mediaAddressesMissing: upstream('upstream_error', 'The platform did not name the addresses of all media.'),
  mediaLinksExpired: upstream('upstream_error', "The platform's links to the media have expired."),
  captionsUnreadable: upstream('upstream_error', 'The platform sent captions that cannot be read.'),
  listUnreadable: upstream('upstream_error', "The channel's list cannot be read."),
  datasetFailed: upstream('upstream_error', 'The dataset API could not be used.'),
  datasetUnreachable: upstream('upstream_error', 'The dataset API could not be reached.'),
  datasetCollectionFailed: upstream('upstream_error', 'The dataset API could not collect this.'),
  datasetNotStarted: upstream('upstream_error', 'The dataset API did not start the snapshot.'),
  datasetRecordUnnamed: upstream('upstream_error', 'The dataset API sent a record that names no post.'),
  snapshotExpired: upstream('upstream_error', 'The dataset API no longer has what it collected.'),
  datasetPartTooLarge: upstream('upstream_error', 'The dataset API sent a {part} larger than {maxBytes} bytes.'),
  dataApiFailed: upstream('upstream_error', 'The Data API could not answer.'),
  dataApiUnreachable: upstream('upstream_error', 'The Data API cannot be reached.'),
  dataApiUnreadable: upstream('upstream_error', 'The Data API gave an answer that cannot be understood.'),
  dataApiEndless: upstream('upstream_error', 'The Data API repeats a page of a list without end.'),
  speechServerFailed: upstream('upstream_error', 'The speech server failed.'),
  speechServerUnreachable: upstream(
    'upstream_error',
    'The speech server could not be reached, or closed the connection.',
  ),
  speechServerUnreadable: upstream('upstream_error', 'The speech server did not return a transcription.'),

  upstreamTimeout: upstream('upstream_timeout', 'The {upstream} did not answer in time.'),
  upstreamStalled: upstream('upstream_timeout', 'The {upstream} sends almost no data.'),
  upstreamPageTooSlow: upstream('upstream_timeout', 'The {page} took too long to read.'),
  mediaHostTimeout: upstream('upstream_timeout', "The platform's media host did not answer in time."),
  datasetTimeout: upstream('upstream_timeout', 'The dataset API did not answer in time.'),
  datasetPlatformTimeout: upstream('upstream_timeout', 'The platform did not answer the dataset API in time.'),
  datasetCollecting: upstream('upstream_timeout', 'The dataset API was still collecting after an hour.'),
  routeBusy: upstream('upstream_timeout', 'No slot for the use of the platform became free in time.'),
  dataApiTimeout: upstream('upstream_timeout', 'The Data API did not answer in time.'),
  speechServerTimeout: upstream('upstream_timeout', 'The speech server did not answer in time.'),

  transferIncomplete: upstream('incomplete', 'The {upstream} ended the transfer too early.'),
  fileIncomplete: upstream('incomplete', 'The video platform sent less than the whole file.'),
  durationWrong: upstream('incomplete', 'The video platform sent less or more than the whole recording.'),
  mediaDamaged: upstream('incomplete', 'The media that the platform sent cannot be read.'),
  mediaHostIncomplete: upstream('incomplete', "The platform's media host ended its answer too early."),
  outputIncomplete: upstream('incomplete', 'The {format} that was made is incomplete.'),
  datasetIncomplete: upstream('incomplete', 'The dataset API ended its answer too early.'),
  datasetRowUnreadable: upstream('incomplete', 'The dataset API sent a row that cannot be read.'),

  cancelled: internal('cancelled', 'The job was cancelled.'),
  stoppedByOperator: internal('cancelled', 'The job was stopped by an operator.'),
  stoppedBeforeSnapshot: internal('cancelled', 'The job was stopped before it requested the snapshot.'),

  ytdlpNotStarted: internal('tool_missing', 'yt-dlp cannot be started; the operator must check YTDLP_PATH.'),
  cookiesUnreadable: internal(
    'tool_missing',
    'The cookie file cannot be read; the operator must check YTDLP_COOKIES_FILE.',
  ),
  proxyBroken: internal('tool_missing', 'The proxy does not work; the operator must check YTDLP_PROXY.'),
  extractorArgsMalformed: internal(
    'tool_missing',
    'The operator must check YTDLP_EXTRACTOR_ARGS: it is not EXTRACTOR:ARGS.',
  ),
  extractorArgsRejected: internal(
    'tool_missing',
    'yt-dlp does not understand its extractor arguments; the operator must check YTDLP_EXTRACTOR_ARGS.',
  ),
  captionsNeedToken: internal(
    'tool_missing',
    'The platform gives these captions only with a token; the operator must check YTDLP_EXTRACTOR_ARGS.',
  ),
  pluginsUnreadable: internal(
    'tool_missing',
    'The folder of plugins cannot be read; the operator must check YTDLP_PLUGIN_DIR.',
  ),
  javascriptRuntimeMissing: internal(
    'tool_missing',
    'yt-dlp needs a JavaScript runtime for this platform; the operator must check YTDLP_JS_RUNTIME.',
  ),
  mediaToolMissing: internal('tool_missing', 'A media tool cannot be started; the operator must check {setting}.'),
  datasetTokenMissing: internal(
    'tool_missing',
    'The dataset API needs a token; the operator must set IMGNET_API_TOKEN.',
  ),
  datasetTokenRejected: internal(
    'tool_missing',
    'The dataset API rejects the token; the operator must check IMGNET_API_TOKEN.',
  ),
  datasetAccountExhausted: internal(
    'tool_missing',
    'The account at the dataset API is suspended or used up; the operator must check the account of IMGNET_API_TOKEN.',
  ),
  datasetAccountSuspended: internal(
    'tool_missing',
    'The account at the dataset API is suspended; the operator must check the account of IMGNET_API_TOKEN.',
  ),
  datasetUnknown: internal(
    'tool_missing',
    'The dataset API does not know the dataset; the operator must check IMGNET_DATASET_PROFILES, IMGNET_DATASET_POSTS and IMGNET_DATASET_REELS.',
  ),
  dataApiKeyRejected: internal(
    'tool_missing',
    'The Data API rejects the key of this service; the operator must check VIDNET_API_KEY.',
  ),
  speechUnavailable: internal('tool_missing', '{problem}'),
  speechToolMissing: internal(
    'tool_missing',
    'A speech tool cannot be started; the operator must check SPEECH_PYTHON_PATH.',
  ),
  speechModelsUnreadable: internal(
    'tool_missing',
    'The speech models cannot be loaded; the operator must check SPEECH_MODELS_DIR ({modelsDir}) with `npm run models -- verify`.',
  ),
  embeddingModelsDiffer: internal(
    'tool_missing',
    'The workers use different embedding models; the operator must set the same SPEECH_EMBEDDING_MODEL for all.',
  ),
  speechEnginesDiffer: internal(
    'tool_missing',
    'The workers differ: one transcribes by {first}, another by {second}. While such a job runs, some worker must have its engine.',
  ),
  speechModelUnknown: internal(
    'tool_missing',
    'The speech server does not offer the model; the operator must check SPEECH_OPENAI_MODEL.',
  ),
  speechKeyRejected: internal(
    'tool_missing',
    'The speech server rejects the API key; the operator must check SPEECH_OPENAI_KEY.',
  ),
  speechAudioTooLong: internal(
    'tool_missing',
    'The speech server rejects audio of this length; the operator must lower SPEECH_OPENAI_MAX_SECONDS or raise its limit.',
  ),
  speechFormatUnsupported: internal(
    'tool_missing',
    'The model does not support this response format; the operator must set SPEECH_OPENAI_FORMAT.',
  ),
  speechWithoutSpeakers: internal(
    'tool_missing',
    'The speech server does not label speakers; the operator must check SPEECH_OPENAI_FORMAT.',
  ),
  speechEndpointMissing: internal(
    'tool_missing',
    'The speech server has no transcription endpoint at this URL; the operator must check SPEECH_OPENAI_URL, which usually ends in /v1.',
  ),

  diskFull: internal('disk_full', 'The service has no space left.'),
  fileStoreFull: internal('disk_full', 'The file store of the service has no space left.'),

  internal: internal('internal', 'An internal error ended the job.'),
  lostInRestore: internal(
    'internal',
    'The service was restored from a copy that was made while this job was under way. Request it again.',
  ),
  failedTooOften: internal('internal', 'The activity failed too often.'),
  databaseUnreachable: internal('internal', 'The database cannot be reached.'),
  preparedAudioDamaged: internal('internal', 'The prepared audio is damaged.'),
  storedAudioDamaged: internal(
    'internal',
    'The stored audio is damaged. Download it again, and use the id of the new download.',
  ),
  speechStepTimeout: internal('internal', 'The time limit for {step} was exceeded.'),
  speechStepFailed: internal('internal', 'There was an error in {step}.'),
  speechRequestRejected: internal('internal', 'The speech server rejected the request.'),
  snapshotUncertain: internal(
    'internal',
    'The dataset API did not say whether it started. The request is not repeated automatically, because that may cost twice.',
  ),
} as const;

export type FailureReason = keyof typeof FAILURES;
type Row = (typeof FAILURES)[FailureReason];
export type FailureCode = Row['code'];

type Names<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;
type NamesOf<Reason extends FailureReason> = Names<(typeof FAILURES)[Reason]['message']>;

/** The reasons whose sentences need no other values than these; with `never`, those that need none. */
export type ReasonWith<Name extends string> = {
  [Reason in FailureReason]: NamesOf<Reason> extends Name ? Reason : never;
}[FailureReason];

/** The fault of each code, in the order of the table. */
export const FAILURE_FAULTS = Object.fromEntries(
  Object.values(FAILURES).map(({ code, fault }) => [code, fault]),
) as Readonly<Record<FailureCode, Fault>>;

export const FAILURE_CODES = Object.keys(FAILURE_FAULTS) as [FailureCode, ...FailureCode[]];

export function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === 'string' && Object.hasOwn(FAILURE_FAULTS, code);
}

/** Why a job failed; `message` is a plain sentence for the caller. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
}

/** Makes the failure of a reason. The values are required exactly when its sentence needs some. */
export function failureFor<Reason extends FailureReason>(
  reason: Reason,
  ...[values]: [NamesOf<Reason>] extends [never] ? [] : [Readonly<Record<NamesOf<Reason>, string | number>>]
): Failure {
  const { code, message } = FAILURES[reason];
  const texts: Readonly<Record<string, string | number>> = values ?? {};
  return { code, message: message.replace(/\{(\w+)\}/g, (name, key: string) => String(texts[key] ?? name)) };
}

/** The HTTP status of a failed job's answer and webhook (specification, section 6). */
export function originalStatusOf({ code }: Failure): 400 | 500 {
  return FAILURE_FAULTS[code] === 'subject' ? 400 : 500;
}
