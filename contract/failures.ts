/** The origin of a failure: the subject itself (final), the upstream (may recover), or this service (the operator acts). */
export type Fault = 'subject' | 'upstream' | 'internal';

type Sentences = Readonly<Record<string, string>>;

function rowsOf<const Meaning extends object, const Messages extends Sentences>(meaning: Meaning, messages: Messages) {
  const rows = Object.entries(messages).map(([reason, message]) => [reason, { ...meaning, message }]);
  return Object.fromEntries(rows) as {
    readonly [Reason in keyof Messages]: Meaning & { readonly message: Messages[Reason] };
  };
}

/** @param messages sentences by reason, with `{name}` for each value that the failure supplies */
const subject = <const Code extends string, const Messages extends Sentences>(code: Code, messages: Messages) =>
  rowsOf({ code, fault: 'subject', status: 400 }, messages);
const upstream = <const Code extends string, const Messages extends Sentences>(code: Code, messages: Messages) =>
  rowsOf({ code, fault: 'upstream', status: 500 }, messages);
const internal = <const Code extends string, const Messages extends Sentences>(code: Code, messages: Messages) =>
  rowsOf({ code, fault: 'internal', status: 500 }, messages);

/**
 * Every reason for which a job may fail: its code, its fault, the sentence for the caller and the HTTP status of the
 * answer and webhook (specification, section 6). Codes are stable: records and dashboards keep them. `{subject}` is a
 * video, channel, playlist or page, and `{upstream}` the video platform or the site.
 */
export const FAILURES = {
  ...subject('private', {
    isPrivate: 'The {subject} is private.',
    signedInOnly: 'The {subject} is only shown to people who have signed in.',
    channelHidesVideos: 'The channel does not show its videos to everyone.',
    accountIsPrivate: 'The account is private.',
  }),
  ...subject('removed', {
    subjectRemoved: 'The {subject} was removed or does not exist.',
    accountRemoved: 'The account or post was removed or does not exist.',
    addressEmpty: 'The platform has nothing at this address.',
    uploadMissing: 'The upload is no longer stored. Send the file again.',
    audioRemoved: 'The audio is no longer stored. Download it again, and use the id of the new download.',
  }),
  ...subject('geo_blocked', { geoBlocked: 'The {subject} is not available in the country of this service.' }),
  ...subject('age_restricted', { ageRestricted: 'The {subject} is age-restricted.' }),
  ...subject('members_only', {
    membersOnly: 'The {subject} is for members only.',
    paymentRequired: 'The {subject} must be paid for.',
  }),
  ...subject('live', { isLive: 'The {subject} is a live broadcast that has not ended.' }),
  ...subject('not_started', { notStarted: 'The {subject} has not been published yet.' }),
  ...subject('drm_protected', { drmProtected: 'The {subject} is protected against copying.' }),
  ...subject('no_audio', {
    noAudio: 'The video has no audio.',
    noFetchableAudio: 'The {subject} has no audio that can be fetched.',
  }),
  ...subject('no_video', { noVideo: 'The media has sound but no pictures.' }),
  ...subject('no_captions', {
    noCaptions: 'The video has no captions.',
    noCaptionsInLanguage: 'There are no captions in `{language}`. There are: {languages}.',
    captionsEmpty: 'The captions in `{language}` are empty.',
    captionTracksEmpty: 'The captions in `{language}` are empty: {tracks} tracks were read.',
  }),
  ...subject('insufficient_credit', {
    creditTooLow: 'The transcription costs {price}, which is more than the credit of the key.',
    listTooDear: 'The list of the profile costs {price}, which is more than the maximum of the request leaves.',
  }),
  ...subject('too_long', { videoTooLong: 'The video is longer than this service accepts.' }),
  ...subject('too_large', {
    videoTooLarge: 'The video is larger than this service accepts.',
    mediaTooLarge: 'The media is larger than this service accepts.',
    upstreamDataTooLarge: 'What the {upstream} sends is larger than this service accepts.',
    pageTooLarge: 'The {page} is larger than this service accepts.',
    entryTooLarge: 'The list has an entry that is larger than this service accepts.',
    picturesTooTall: 'The pictures of the video are {height} pixels tall; this service accepts {maxHeight}.',
    mediaTooMuchMemory: 'The media takes more memory than this service allows.',
    mediaTooMuchWork: 'The media takes more work than this service spends on it.',
    mediaTooSlow: 'The media arrives so slowly that fetching it takes longer than this service allows.',
    fetchTooLong: 'Fetching the media takes longer than this service allows.',
    captionsTooLarge: 'The captions are larger than this service accepts.',
    captionsTooMuchText: 'The captions hold more text than {maxMegabytes} MB, which is more than this service accepts.',
    captionsTooManyLines: 'The captions have more than {maxLines} lines, which this service does not accept.',
  }),
  ...subject('unsupported', {
    addressForbidden: 'The platform links to an address that must not be called.',
    uploadUnreadable: 'The uploaded file contains no recording that can be read.',
    mediaUnreadable: 'The media cannot be read: they are damaged or in an unknown format.',
    mediaFormatNamed: 'The media are in a format that this service does not convert: {format}.',
    mediaFormatUnsupported: 'The media are in a format that this service does not convert.',
    pageUnreadable: 'The {page} cannot be read.',
    pageTooSlow: 'The {page} took too long to read.',
    pageTooMuchWork: 'The {page} takes more work than this service spends on it.',
    fileTooMuchWork: 'The media takes more work than this service spends on it.',
    pageWithoutMedia: 'The page holds no media.',
    listEmpty: 'The list has no entries that the filter lets through.',
    pageWithManyVideos: 'The page holds several videos. Request one of them by its own page.',
    datasetAddressUnreadable: 'The dataset API cannot read this address.',
    notLive: 'The page shows no running broadcast.',
    notFromStart: 'The site does not offer the broadcast from its start.',
    recordingOver: 'The time until which the broadcast was to be recorded is over.',
    sectionOutside: 'The recording has no such section.',
    optionImpossible: 'The page has no media in the requested language or container.',
    languageUnsupported: 'The speech engine does not support the language {language}; it supports {languages}.',
    speechServerLanguageUnsupported: 'The speech server does not support this language.',
  }),
  ...upstream('rate_limited', {
    platformRateLimited: 'The {upstream} limits the rate of requests.',
    mediaHostRateLimited: "The platform's media host limits the rate of requests.",
    datasetRateLimited: 'The dataset API limits the rate of requests.',
    datasetPlatformRateLimited: 'The platform limits the rate of requests of the dataset API.',
    dataApiRateLimited: 'The Data API limits the rate of requests.',
    speechRateLimited: 'The speech server limits the rate of requests.',
  }),
  ...upstream('quota_exceeded', {
    dataApiQuotaExceeded: 'The daily quota of the Data API is used up.',
    speechQuotaExceeded: 'The account at the speech server has no credit left; the operator must add credit.',
  }),
  ...upstream('sign_in_required', {
    signInRequired: 'The {upstream} requires a sign-in from this address.',
    cookiesExpired: 'The {upstream} requires a sign-in, and the cookies in YTDLP_COOKIES_FILE have expired.',
  }),
  ...upstream('upstream_error', {
    upstreamFailed: 'The {upstream} could not be read.',
    upstreamUnreachable: 'The {upstream} cannot be reached.',
    mediaLinkExpired: 'The {upstream} no longer offers the media that it listed a moment ago.',
    mediaHostFailed: "The platform's media host could not deliver.",
    mediaHostUnreachable: "The platform's media host could not be reached.",
    mediaAddressesMissing: 'The platform did not name the addresses of all media.',
    mediaLinksExpired: "The platform's links to the media have expired.",
    captionsUnreadable: 'The platform sent captions that cannot be read.',
    listUnreadable: 'The list cannot be read.',
    datasetFailed: 'The dataset API could not be used.',
    datasetUnreachable: 'The dataset API could not be reached.',
    datasetCollectionFailed: 'The dataset API could not collect this.',
    datasetNotStarted: 'The dataset API did not start the snapshot.',
    datasetRecordUnnamed: 'The dataset API sent a record that names no post.',
    snapshotExpired: 'The dataset API no longer has what it collected.',
    datasetPartTooLarge: 'The dataset API sent a {part} larger than {maxBytes} bytes.',
    dataApiFailed: 'The Data API could not answer.',
    dataApiUnreachable: 'The Data API cannot be reached.',
    dataApiUnreadable: 'The Data API gave an answer that cannot be understood.',
    dataApiEndless: 'The Data API repeats a page of a list without end.',
    speechServerFailed: 'The speech server failed.',
    speechServerUnreachable: 'The speech server could not be reached, or closed the connection.',
    speechServerUnreadable: 'The speech server did not return a transcription.',
  }),
  ...upstream('upstream_timeout', {
    upstreamTimeout: 'The {upstream} did not answer in time.',
    upstreamStalled: 'The {upstream} sends almost no data.',
    upstreamPageTooSlow: 'The {page} took too long to read.',
    mediaHostTimeout: "The platform's media host did not answer in time.",
    datasetTimeout: 'The dataset API did not answer in time.',
    datasetPlatformTimeout: 'The platform did not answer the dataset API in time.',
    datasetCollecting: 'The dataset API was still collecting after an hour.',
    routeBusy: 'No slot for the use of the platform became free in time.',
    dataApiTimeout: 'The Data API did not answer in time.',
    speechServerTimeout: 'The speech server did not answer in time.',
  }),
  ...upstream('incomplete', {
    transferIncomplete: 'The {upstream} ended the transfer too early.',
    fileIncomplete: 'The video platform sent less than the whole file.',
    durationWrong: 'The video platform sent less than the whole recording.',
    mediaDamaged: 'The media that the platform sent cannot be read.',
    mediaHostIncomplete: "The platform's media host ended its answer too early.",
    datasetIncomplete: 'The dataset API ended its answer too early.',
    datasetRowUnreadable: 'The dataset API sent a row that cannot be read.',
  }),
  ...internal('cancelled', {
    cancelled: 'The job was cancelled.',
    stoppedByOperator: 'The job was stopped by an operator.',
    keyRevoked: 'The API key of the request was revoked.',
    stoppedBeforeSnapshot: 'The job was stopped before it requested the snapshot.',
  }),
  ...internal('tool_missing', {
    ytdlpNotStarted: 'yt-dlp cannot be started; the operator must check YTDLP_PATH.',
    cookiesUnreadable: 'The cookie file cannot be read; the operator must check YTDLP_COOKIES_FILE.',
    proxyBroken: 'The proxy does not work; the operator must check YTDLP_PROXY.',
    extractorArgsMalformed: 'The operator must check YTDLP_EXTRACTOR_ARGS: it is not EXTRACTOR:ARGS.',
    extractorArgsRejected:
      'yt-dlp does not understand its extractor arguments; the operator must check YTDLP_EXTRACTOR_ARGS.',
    captionsNeedToken:
      'The platform gives these captions only with a token; the operator must check YTDLP_EXTRACTOR_ARGS.',
    pluginsUnreadable: 'The folder of plugins cannot be read; the operator must check YTDLP_PLUGIN_DIR.',
    javascriptRuntimeMissing:
      'yt-dlp needs a JavaScript runtime for this platform; the operator must check YTDLP_JS_RUNTIME.',
    mediaToolMissing: 'A media tool cannot be started; the operator must check {setting}.',
    mediaFilterMissing:
      'The media need the filter {filter}, which this ffmpeg does not have; the operator must check FFMPEG_PATH.',
    datasetTokenMissing: 'The dataset API needs a token; the operator must set IMGNET_API_TOKEN.',
    datasetTokenRejected: 'The dataset API rejects the token; the operator must check IMGNET_API_TOKEN.',
    datasetAccountExhausted:
      'The account at the dataset API is suspended or used up; the operator must check the account of IMGNET_API_TOKEN.',
    datasetAccountSuspended:
      'The account at the dataset API is suspended; the operator must check the account of IMGNET_API_TOKEN.',
    datasetUnknown:
      'The dataset API does not know the dataset; the operator must check IMGNET_DATASET_PROFILES, IMGNET_DATASET_POSTS and IMGNET_DATASET_REELS.',
    dataApiKeyRejected: 'The Data API rejects the key of this service; the operator must check VIDNET_API_KEY.',
    speechUnavailable: '{problem}',
    speechToolMissing: 'A speech tool cannot be started; the operator must check SPEECH_PYTHON_PATH.',
    speechModelsUnreadable:
      'The speech models cannot be loaded; the operator must check SPEECH_MODELS_DIR ({modelsDir}) with `npm run models -- verify`.',
    speechDeviceUnusable: 'The speech model cannot be loaded with CUDA; the operator must check SPEECH_DEVICE.',
    embeddingModelsDiffer:
      'The workers use different embedding models; the operator must set the same SPEECH_EMBEDDING_MODEL for all.',
    speechModelUnknown: 'The speech server does not offer the model; the operator must check SPEECH_OPENAI_MODEL.',
    speechKeyRejected: 'The speech server rejects the API key; the operator must check SPEECH_OPENAI_KEY.',
    speechAudioTooLong:
      'The speech server rejects audio of this length; the operator must lower SPEECH_OPENAI_MAX_SECONDS or raise its limit.',
    speechFormatUnsupported:
      'The model does not support this response format; the operator must set SPEECH_OPENAI_FORMAT.',
    speechWithoutSpeakers: 'The speech server does not label speakers; the operator must check SPEECH_OPENAI_FORMAT.',
    speechEndpointMissing:
      'The speech server has no transcription endpoint at this URL; the operator must check SPEECH_OPENAI_URL, which usually ends in /v1.',
  }),
  ...internal('disk_full', {
    diskFull: 'The service has no space left.',
    fileStoreFull: 'The file store of the service has no space left.',
  }),
  ...internal('internal', {
    internal: 'An internal error ended the job.',
    lostInRestore: 'The service was restored from a copy that was made while this job was under way. Request it again.',
    failedTooOften: 'The activity failed too often.',
    databaseUnreachable: 'The database cannot be reached.',
    preparedAudioDamaged: 'The prepared audio is damaged.',
    storedAudioDamaged: 'The stored audio is damaged. Download it again, and use the id of the new download.',
    speechStepTimeout: 'The time limit for {step} was exceeded.',
    speechStepFailed: 'There was an error in {step}.',
    speechRequestRejected: 'The speech server rejected the request.',
    snapshotUncertain:
      'The dataset API did not say whether it started. The request is not repeated automatically, because that may cost twice.',
  }),
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
