// Made by `npm run clients`.
// @ts-nocheck

import type { Client, ClientMeta, Options as Options2, RequestResult, ServerSentEventsResult, TDataShape } from './client/index.ts';
import type { ArchiveBatchData, ArchiveBatchErrors, ArchiveBatchResponses, CancelBatchData, CancelBatchErrors, CancelBatchResponses, CancelDownloadData, CancelDownloadErrors, CancelDownloadResponses, ChangeSubscriptionData, ChangeSubscriptionErrors, ChangeSubscriptionResponses, CheckHealthData, CheckHealthErrors, CheckHealthResponses, CheckLiveData, CheckLiveErrors, CheckLiveResponses, CheckReadyData, CheckReadyErrors, CheckReadyResponses, CheckSubscriptionData, CheckSubscriptionErrors, CheckSubscriptionResponses, CreateBatchData, CreateBatchErrors, CreateBatchResponses, CreateFeedData, CreateFeedErrors, CreateFeedResponses, CreateSubscriptionData, CreateSubscriptionErrors, CreateSubscriptionResponses, CreateUploadData, CreateUploadErrors, CreateUploadResponses, DeleteFeedData, DeleteFeedErrors, DeleteFeedResponses, DeleteUploadData, DeleteUploadErrors, DeleteUploadResponses, ExportSpeakerLabelsData, ExportSpeakerLabelsErrors, ExportSpeakerLabelsResponses, ExportTranscriptData, ExportTranscriptErrors, ExportTranscriptResponses, FollowBatchData, FollowBatchErrors, FollowBatchResponse, FollowBatchResponses, FollowDownloadData, FollowDownloadErrors, FollowDownloadResponse, FollowDownloadResponses, FollowDownloadsData, FollowDownloadsErrors, FollowDownloadsResponse, FollowDownloadsResponses, GetAccountData, GetAccountErrors, GetAccountResponses, GetBatchData, GetBatchErrors, GetBatchResponses, GetDownloadData, GetDownloadErrors, GetDownloadResponses, GetJobData, GetJobErrors, GetJobResponses, GetResultData, GetResultErrors, GetResultResponses, GetSpeakerLabelsData, GetSpeakerLabelsErrors, GetSpeakerLabelsResponses, GetSpeechData, GetSpeechErrors, GetSpeechResponses, GetSpokenWordsData, GetSpokenWordsErrors, GetSpokenWordsResponses, GetSubscriptionData, GetSubscriptionErrors, GetSubscriptionResponses, GetTranscriptData, GetTranscriptErrors, GetTranscriptResponses, GetUploadOffsetData, GetUploadOffsetErrors, GetUploadOffsetResponses, ListBatchesData, ListBatchesErrors, ListBatchesResponses, ListBatchItemsData, ListBatchItemsErrors, ListBatchItemsResponses, ListDeliveriesData, ListDeliveriesErrors, ListDeliveriesResponses, ListDownloadsData, ListDownloadsErrors, ListDownloadsResponses, ListFeedsData, ListFeedsErrors, ListFeedsResponses, ListSubscriptionItemsData, ListSubscriptionItemsErrors, ListSubscriptionItemsResponses, ListSubscriptionsData, ListSubscriptionsErrors, ListSubscriptionsResponses, NameSpeakersData, NameSpeakersErrors, NameSpeakersResponses, PauseSubscriptionData, PauseSubscriptionErrors, PauseSubscriptionResponses, RedeliverWebhookData, RedeliverWebhookErrors, RedeliverWebhookResponses, RemoveContentsData, RemoveContentsErrors, RemoveContentsResponses, RemoveSubscriptionData, RemoveSubscriptionErrors, RemoveSubscriptionResponses, RequestAudioData, RequestAudioErrors, RequestAudioResponses, RequestChannelData, RequestChannelErrors, RequestChannelResponses, RequestImgnetAudioData, RequestImgnetAudioErrors, RequestImgnetAudioResponses, RequestImgnetContentData, RequestImgnetContentErrors, RequestImgnetContentResponses, RequestImgnetListData, RequestImgnetListErrors, RequestImgnetListResponses, RequestImgnetProfileData, RequestImgnetProfileErrors, RequestImgnetProfileResponses, RequestMediaData, RequestMediaErrors, RequestMediaInfoData, RequestMediaInfoErrors, RequestMediaInfoResponses, RequestMediaResponses, RequestSpeakerLabelsData, RequestSpeakerLabelsErrors, RequestSpeakerLabelsResponses, RequestSpeechData, RequestSpeechErrors, RequestSpeechResponses, RequestTranscriptData, RequestTranscriptErrors, RequestTranscriptResponses, RequestVideoData, RequestVideoErrors, RequestVideoResponses, ResolveData, ResolveErrors, ResolveResponses, ResumeBatchData, ResumeBatchErrors, ResumeBatchResponses, ResumeSubscriptionData, ResumeSubscriptionErrors, ResumeSubscriptionResponses, RetryBatchData, RetryBatchErrors, RetryBatchResponses, SendUploadData, SendUploadErrors, SendUploadResponses, TestWebhookData, TestWebhookErrors, TestWebhookResponses } from './types.gen.ts';

export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<TData, ThrowOnError, TResponse> & {
    /**
     * You can provide a client instance returned by `createClient()` instead of
     * individual options. This might be also useful if you want to implement a
     * custom client.
     */
    client: Client;
    /**
     * You can pass arbitrary values through the `meta` object. This can be
     * used to access values that aren't defined as part of the SDK function.
     */
    meta?: keyof ClientMeta extends never ? Record<string, unknown> : ClientMeta;
};

/**
 * Fetch the audio of a video as M4A
 */
export const requestAudio = <ThrowOnError extends boolean = true>(options: Options<RequestAudioData, ThrowOnError>): RequestResult<RequestAudioResponses, RequestAudioErrors, ThrowOnError, 'data'> => options.client.post<RequestAudioResponses, RequestAudioErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/downloads/audio',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Fetch a video as MP4
 */
export const requestVideo = <ThrowOnError extends boolean = true>(options: Options<RequestVideoData, ThrowOnError>): RequestResult<RequestVideoResponses, RequestVideoErrors, ThrowOnError, 'data'> => options.client.post<RequestVideoResponses, RequestVideoErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/downloads/video',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Fetch the audio or video of a page of any site
 */
export const requestMedia = <ThrowOnError extends boolean = true>(options: Options<RequestMediaData, ThrowOnError>): RequestResult<RequestMediaResponses, RequestMediaErrors, ThrowOnError, 'data'> => options.client.post<RequestMediaResponses, RequestMediaErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/downloads/media',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Look at a page: its title, length, formats and captions, before anything is fetched
 */
export const requestMediaInfo = <ThrowOnError extends boolean = true>(options: Options<RequestMediaInfoData, ThrowOnError>): RequestResult<RequestMediaInfoResponses, RequestMediaInfoErrors, ThrowOnError, 'data'> => options.client.post<RequestMediaInfoResponses, RequestMediaInfoErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/media/info',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * List downloads, newest first
 */
export const listDownloads = <ThrowOnError extends boolean = true>(options: Options<ListDownloadsData, ThrowOnError>): RequestResult<ListDownloadsResponses, ListDownloadsErrors, ThrowOnError, 'data'> => options.client.get<ListDownloadsResponses, ListDownloadsErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/downloads',
    ...options
});

/**
 * Cancel a pending download
 */
export const cancelDownload = <ThrowOnError extends boolean = true>(options: Options<CancelDownloadData, ThrowOnError>): RequestResult<CancelDownloadResponses, CancelDownloadErrors, ThrowOnError, 'data'> => options.client.delete<CancelDownloadResponses, CancelDownloadErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/downloads/{downloadId}',
    ...options
});

/**
 * Get a download with a fresh link
 */
export const getDownload = <ThrowOnError extends boolean = true>(options: Options<GetDownloadData, ThrowOnError>): RequestResult<GetDownloadResponses, GetDownloadErrors, ThrowOnError, 'data'> => options.client.get<GetDownloadResponses, GetDownloadErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/downloads/{downloadId}',
    ...options
});

/**
 * Follow a job by server-sent events until it ends; an addition to the specification
 */
export const followDownload = <ThrowOnError extends boolean = true>(options: Options<FollowDownloadData, ThrowOnError, FollowDownloadResponse>): Promise<ServerSentEventsResult<FollowDownloadResponses>> => options.client.sse.get<FollowDownloadResponses, FollowDownloadErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/downloads/{downloadId}/events',
    ...options
});

/**
 * Follow all downloads of the list by server-sent events; an addition to the specification
 */
export const followDownloads = <ThrowOnError extends boolean = true>(options: Options<FollowDownloadsData, ThrowOnError, FollowDownloadsResponse>): Promise<ServerSentEventsResult<FollowDownloadsResponses>> => options.client.sse.get<FollowDownloadsResponses, FollowDownloadsErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/downloads/events',
    ...options
});

/**
 * Remove the files and contents of a download for good, with the transcripts that were made of it
 */
export const removeContents = <ThrowOnError extends boolean = true>(options: Options<RemoveContentsData, ThrowOnError>): RequestResult<RemoveContentsResponses, RemoveContentsErrors, ThrowOnError, 'data'> => options.client.delete<RemoveContentsResponses, RemoveContentsErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/downloads/{downloadId}/contents',
    ...options
});

/**
 * List the possible meanings of a URL, handle, name or ID, with the available requests and their prices
 */
export const resolve = <ThrowOnError extends boolean = true>(options: Options<ResolveData, ThrowOnError>): RequestResult<ResolveResponses, ResolveErrors, ThrowOnError, 'data'> => options.client.get<ResolveResponses, ResolveErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/resolve',
    ...options
});

/**
 * Get the result of a job of any kind, as in its webhook; free, and starts nothing
 */
export const getResult = <ThrowOnError extends boolean = true>(options: Options<GetResultData, ThrowOnError>): RequestResult<GetResultResponses, GetResultErrors, ThrowOnError, 'data'> => options.client.get<GetResultResponses, GetResultErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/downloads/{downloadId}/result',
    ...options
});

/**
 * Get facts about a job that its record does not contain
 */
export const getJob = <ThrowOnError extends boolean = true>(options: Options<GetJobData, ThrowOnError>): RequestResult<GetJobResponses, GetJobErrors, ThrowOnError, 'data'> => options.client.get<GetJobResponses, GetJobErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/downloads/{downloadId}/job',
    ...options
});

/**
 * Get the profile of a channel with its videos
 */
export const requestChannel = <ThrowOnError extends boolean = true>(options: Options<RequestChannelData, ThrowOnError>): RequestResult<RequestChannelResponses, RequestChannelErrors, ThrowOnError, 'data'> => options.client.post<RequestChannelResponses, RequestChannelErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/channel/profile',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Get the captions of a video in a language
 */
export const requestTranscript = <ThrowOnError extends boolean = true>(options: Options<RequestTranscriptData, ThrowOnError>): RequestResult<RequestTranscriptResponses, RequestTranscriptErrors, ThrowOnError, 'data'> => options.client.post<RequestTranscriptResponses, RequestTranscriptErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/transcripts',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Get a stored transcript; free, and starts nothing
 */
export const getTranscript = <ThrowOnError extends boolean = true>(options: Options<GetTranscriptData, ThrowOnError>): RequestResult<GetTranscriptResponses, GetTranscriptErrors, ThrowOnError, 'data'> => options.client.get<GetTranscriptResponses, GetTranscriptErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/transcripts/{downloadId}',
    ...options
});

/**
 * Export a transcript as subtitles or plain text
 */
export const exportTranscript = <ThrowOnError extends boolean = true>(options: Options<ExportTranscriptData, ThrowOnError>): RequestResult<ExportTranscriptResponses, ExportTranscriptErrors, ThrowOnError, 'data'> => options.client.get<ExportTranscriptResponses, ExportTranscriptErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/transcripts/{downloadId}.{format}',
    ...options
});

/**
 * Get the transcript with speakers of a page, a video or a download, which is fetched if necessary
 */
export const requestSpeech = <ThrowOnError extends boolean = true>(options: Options<RequestSpeechData, ThrowOnError>): RequestResult<RequestSpeechResponses, RequestSpeechErrors, ThrowOnError, 'data'> => options.client.post<RequestSpeechResponses, RequestSpeechErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/speech',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Get a stored transcript with speakers by the ID of its job; free, and starts nothing
 */
export const getSpeech = <ThrowOnError extends boolean = true>(options: Options<GetSpeechData, ThrowOnError>): RequestResult<GetSpeechResponses, GetSpeechErrors, ThrowOnError, 'data'> => options.client.get<GetSpeechResponses, GetSpeechErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/speech/{downloadId}',
    ...options
});

/**
 * Get the speaker labels of a downloaded audio
 */
export const requestSpeakerLabels = <ThrowOnError extends boolean = true>(options: Options<RequestSpeakerLabelsData, ThrowOnError>): RequestResult<RequestSpeakerLabelsResponses, RequestSpeakerLabelsErrors, ThrowOnError, 'data'> => options.client.post<RequestSpeakerLabelsResponses, RequestSpeakerLabelsErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/transcriptspeakerid',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Get stored speaker labels by the ID of the audio or the job; free, and starts nothing
 */
export const getSpeakerLabels = <ThrowOnError extends boolean = true>(options: Options<GetSpeakerLabelsData, ThrowOnError>): RequestResult<GetSpeakerLabelsResponses, GetSpeakerLabelsErrors, ThrowOnError, 'data'> => options.client.get<GetSpeakerLabelsResponses, GetSpeakerLabelsErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/transcriptspeakerid/{id}',
    ...options
});

/**
 * Get the start of each word of a transcript with speaker labels, and its voice segments
 */
export const getSpokenWords = <ThrowOnError extends boolean = true>(options: Options<GetSpokenWordsData, ThrowOnError>): RequestResult<GetSpokenWordsResponses, GetSpokenWordsErrors, ThrowOnError, 'data'> => options.client.get<GetSpokenWordsResponses, GetSpokenWordsErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/transcriptspeakerid/{id}/words',
    ...options
});

/**
 * Give names to the speakers of a transcript, which its files and answers show to every caller
 */
export const nameSpeakers = <ThrowOnError extends boolean = true>(options: Options<NameSpeakersData, ThrowOnError>): RequestResult<NameSpeakersResponses, NameSpeakersErrors, ThrowOnError, 'data'> => options.client.put<NameSpeakersResponses, NameSpeakersErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/transcriptspeakerid/{id}/names',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Export a transcript with speaker labels as subtitles, plain text or RTTM
 */
export const exportSpeakerLabels = <ThrowOnError extends boolean = true>(options: Options<ExportSpeakerLabelsData, ThrowOnError>): RequestResult<ExportSpeakerLabelsResponses, ExportSpeakerLabelsErrors, ThrowOnError, 'data'> => options.client.get<ExportSpeakerLabelsResponses, ExportSpeakerLabelsErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/transcriptspeakerid/{id}.{format}',
    ...options
});

/**
 * Get the profile of an account of the photo platform
 */
export const requestImgnetProfile = <ThrowOnError extends boolean = true>(options: Options<RequestImgnetProfileData, ThrowOnError>): RequestResult<RequestImgnetProfileResponses, RequestImgnetProfileErrors, ThrowOnError, 'data'> => options.client.post<RequestImgnetProfileResponses, RequestImgnetProfileErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/imgnet/profile',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Get the posts and reels of an account of the photo platform
 */
export const requestImgnetList = <ThrowOnError extends boolean = true>(options: Options<RequestImgnetListData, ThrowOnError>): RequestResult<RequestImgnetListResponses, RequestImgnetListErrors, ThrowOnError, 'data'> => options.client.post<RequestImgnetListResponses, RequestImgnetListErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/imgnet/list',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Get the metadata of a post or reel of the photo platform
 */
export const requestImgnetContent = <ThrowOnError extends boolean = true>(options: Options<RequestImgnetContentData, ThrowOnError>): RequestResult<RequestImgnetContentResponses, RequestImgnetContentErrors, ThrowOnError, 'data'> => options.client.post<RequestImgnetContentResponses, RequestImgnetContentErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/imgnet/content',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Fetch the audio of a post or reel of the photo platform as M4A
 */
export const requestImgnetAudio = <ThrowOnError extends boolean = true>(options: Options<RequestImgnetAudioData, ThrowOnError>): RequestResult<RequestImgnetAudioResponses, RequestImgnetAudioErrors, ThrowOnError, 'data'> => options.client.post<RequestImgnetAudioResponses, RequestImgnetAudioErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/imgnet/audio',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * List batches, newest first
 */
export const listBatches = <ThrowOnError extends boolean = true>(options: Options<ListBatchesData, ThrowOnError>): RequestResult<ListBatchesResponses, ListBatchesErrors, ThrowOnError, 'data'> => options.client.get<ListBatchesResponses, ListBatchesErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/batches',
    ...options
});

/**
 * Start many jobs by one request
 */
export const createBatch = <ThrowOnError extends boolean = true>(options: Options<CreateBatchData, ThrowOnError>): RequestResult<CreateBatchResponses, CreateBatchErrors, ThrowOnError, 'data'> => options.client.post<CreateBatchResponses, CreateBatchErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/batches',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Get the progress of a batch
 */
export const getBatch = <ThrowOnError extends boolean = true>(options: Options<GetBatchData, ThrowOnError>): RequestResult<GetBatchResponses, GetBatchErrors, ThrowOnError, 'data'> => options.client.get<GetBatchResponses, GetBatchErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/batches/{batchId}',
    ...options
});

/**
 * List the items of a batch with their records
 */
export const listBatchItems = <ThrowOnError extends boolean = true>(options: Options<ListBatchItemsData, ThrowOnError>): RequestResult<ListBatchItemsResponses, ListBatchItemsErrors, ThrowOnError, 'data'> => options.client.get<ListBatchItemsResponses, ListBatchItemsErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/batches/{batchId}/items',
    ...options
});

/**
 * Follow a batch by server-sent events until it ends
 */
export const followBatch = <ThrowOnError extends boolean = true>(options: Options<FollowBatchData, ThrowOnError, FollowBatchResponse>): Promise<ServerSentEventsResult<FollowBatchResponses>> => options.client.sse.get<FollowBatchResponses, FollowBatchErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/batches/{batchId}/events',
    ...options
});

/**
 * Download the results of a batch as a Zip archive
 */
export const archiveBatch = <ThrowOnError extends boolean = true>(options: Options<ArchiveBatchData, ThrowOnError>): RequestResult<ArchiveBatchResponses, ArchiveBatchErrors, ThrowOnError, 'data'> => options.client.get<ArchiveBatchResponses, ArchiveBatchErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/batches/{batchId}/archive.zip',
    ...options
});

/**
 * Cancel the items of a batch that have not ended
 */
export const cancelBatch = <ThrowOnError extends boolean = true>(options: Options<CancelBatchData, ThrowOnError>): RequestResult<CancelBatchResponses, CancelBatchErrors, ThrowOnError, 'data'> => options.client.post<CancelBatchResponses, CancelBatchErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/batches/{batchId}/cancel',
    ...options
});

/**
 * Continue a paused batch
 */
export const resumeBatch = <ThrowOnError extends boolean = true>(options: Options<ResumeBatchData, ThrowOnError>): RequestResult<ResumeBatchResponses, ResumeBatchErrors, ThrowOnError, 'data'> => options.client.post<ResumeBatchResponses, ResumeBatchErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/batches/{batchId}/resume',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Run the failed items of an ended batch again
 */
export const retryBatch = <ThrowOnError extends boolean = true>(options: Options<RetryBatchData, ThrowOnError>): RequestResult<RetryBatchResponses, RetryBatchErrors, ThrowOnError, 'data'> => options.client.post<RetryBatchResponses, RetryBatchErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/batches/{batchId}/retry',
    ...options
});

/**
 * List subscriptions, newest first
 */
export const listSubscriptions = <ThrowOnError extends boolean = true>(options: Options<ListSubscriptionsData, ThrowOnError>): RequestResult<ListSubscriptionsResponses, ListSubscriptionsErrors, ThrowOnError, 'data'> => options.client.get<ListSubscriptionsResponses, ListSubscriptionsErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/subscriptions',
    ...options
});

/**
 * Fetch what a channel, playlist or feed publishes from now on
 */
export const createSubscription = <ThrowOnError extends boolean = true>(options: Options<CreateSubscriptionData, ThrowOnError>): RequestResult<CreateSubscriptionResponses, CreateSubscriptionErrors, ThrowOnError, 'data'> => options.client.post<CreateSubscriptionResponses, CreateSubscriptionErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/subscriptions',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Delete a subscription; what it has started goes on
 */
export const removeSubscription = <ThrowOnError extends boolean = true>(options: Options<RemoveSubscriptionData, ThrowOnError>): RequestResult<RemoveSubscriptionResponses, RemoveSubscriptionErrors, ThrowOnError, 'data'> => options.client.delete<RemoveSubscriptionResponses, RemoveSubscriptionErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/subscriptions/{subscriptionId}',
    ...options
});

/**
 * Get a subscription
 */
export const getSubscription = <ThrowOnError extends boolean = true>(options: Options<GetSubscriptionData, ThrowOnError>): RequestResult<GetSubscriptionResponses, GetSubscriptionErrors, ThrowOnError, 'data'> => options.client.get<GetSubscriptionResponses, GetSubscriptionErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/subscriptions/{subscriptionId}',
    ...options
});

/**
 * Change fields of a subscription
 */
export const changeSubscription = <ThrowOnError extends boolean = true>(options: Options<ChangeSubscriptionData, ThrowOnError>): RequestResult<ChangeSubscriptionResponses, ChangeSubscriptionErrors, ThrowOnError, 'data'> => options.client.patch<ChangeSubscriptionResponses, ChangeSubscriptionErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/subscriptions/{subscriptionId}',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Pause the checks of a subscription
 */
export const pauseSubscription = <ThrowOnError extends boolean = true>(options: Options<PauseSubscriptionData, ThrowOnError>): RequestResult<PauseSubscriptionResponses, PauseSubscriptionErrors, ThrowOnError, 'data'> => options.client.post<PauseSubscriptionResponses, PauseSubscriptionErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/subscriptions/{subscriptionId}/pause',
    ...options
});

/**
 * Continue a paused subscription, with the entries that wait
 */
export const resumeSubscription = <ThrowOnError extends boolean = true>(options: Options<ResumeSubscriptionData, ThrowOnError>): RequestResult<ResumeSubscriptionResponses, ResumeSubscriptionErrors, ThrowOnError, 'data'> => options.client.post<ResumeSubscriptionResponses, ResumeSubscriptionErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/subscriptions/{subscriptionId}/resume',
    ...options
});

/**
 * Check the source of a subscription now
 */
export const checkSubscription = <ThrowOnError extends boolean = true>(options: Options<CheckSubscriptionData, ThrowOnError>): RequestResult<CheckSubscriptionResponses, CheckSubscriptionErrors, ThrowOnError, 'data'> => options.client.post<CheckSubscriptionResponses, CheckSubscriptionErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/subscriptions/{subscriptionId}/check',
    ...options
});

/**
 * List what a subscription has fetched
 */
export const listSubscriptionItems = <ThrowOnError extends boolean = true>(options: Options<ListSubscriptionItemsData, ThrowOnError>): RequestResult<ListSubscriptionItemsResponses, ListSubscriptionItemsErrors, ThrowOnError, 'data'> => options.client.get<ListSubscriptionItemsResponses, ListSubscriptionItemsErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/subscriptions/{subscriptionId}/items',
    ...options
});

/**
 * List feeds, newest first
 */
export const listFeeds = <ThrowOnError extends boolean = true>(options: Options<ListFeedsData, ThrowOnError>): RequestResult<ListFeedsResponses, ListFeedsErrors, ThrowOnError, 'data'> => options.client.get<ListFeedsResponses, ListFeedsErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/feeds',
    ...options
});

/**
 * Create a podcast feed of the files of a batch or subscription
 */
export const createFeed = <ThrowOnError extends boolean = true>(options: Options<CreateFeedData, ThrowOnError>): RequestResult<CreateFeedResponses, CreateFeedErrors, ThrowOnError, 'data'> => options.client.post<CreateFeedResponses, CreateFeedErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/feeds',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * Revoke the token of a feed
 */
export const deleteFeed = <ThrowOnError extends boolean = true>(options: Options<DeleteFeedData, ThrowOnError>): RequestResult<DeleteFeedResponses, DeleteFeedErrors, ThrowOnError, 'data'> => options.client.delete<DeleteFeedResponses, DeleteFeedErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/feeds/{feedId}',
    ...options
});

/**
 * Send a test to a webhook URL
 */
export const testWebhook = <ThrowOnError extends boolean = true>(options: Options<TestWebhookData, ThrowOnError>): RequestResult<TestWebhookResponses, TestWebhookErrors, ThrowOnError, 'data'> => options.client.post<TestWebhookResponses, TestWebhookErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/webhook/test',
    ...options,
    headers: {
        'Content-Type': 'application/json',
        ...options.headers
    }
});

/**
 * List webhook deliveries with their attempts, those of the newest downloads first
 */
export const listDeliveries = <ThrowOnError extends boolean = true>(options: Options<ListDeliveriesData, ThrowOnError>): RequestResult<ListDeliveriesResponses, ListDeliveriesErrors, ThrowOnError, 'data'> => options.client.get<ListDeliveriesResponses, ListDeliveriesErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/webhook/deliveries',
    ...options
});

/**
 * Deliver a webhook again
 */
export const redeliverWebhook = <ThrowOnError extends boolean = true>(options: Options<RedeliverWebhookData, ThrowOnError>): RequestResult<RedeliverWebhookResponses, RedeliverWebhookErrors, ThrowOnError, 'data'> => options.client.post<RedeliverWebhookResponses, RedeliverWebhookErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/webhook/deliveries/{deliveryId}/redeliver',
    ...options
});

/**
 * Get the credit of an API key and the costs of its downloads
 */
export const getAccount = <ThrowOnError extends boolean = true>(options: Options<GetAccountData, ThrowOnError>): RequestResult<GetAccountResponses, GetAccountErrors, ThrowOnError, 'data'> => options.client.get<GetAccountResponses, GetAccountErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/account',
    ...options
});

/**
 * Check whether the process runs; no engine is checked
 */
export const checkLive = <ThrowOnError extends boolean = true>(options: Options<CheckLiveData, ThrowOnError>): RequestResult<CheckLiveResponses, CheckLiveErrors, ThrowOnError, 'data'> => options.client.get<CheckLiveResponses, CheckLiveErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    url: '/live',
    ...options
});

/**
 * Check whether this process should receive requests
 */
export const checkReady = <ThrowOnError extends boolean = true>(options: Options<CheckReadyData, ThrowOnError>): RequestResult<CheckReadyResponses, CheckReadyErrors, ThrowOnError, 'data'> => options.client.get<CheckReadyResponses, CheckReadyErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    url: '/ready',
    ...options
});

/**
 * Check whether the service can work
 */
export const checkHealth = <ThrowOnError extends boolean = true>(options: Options<CheckHealthData, ThrowOnError>): RequestResult<CheckHealthResponses, CheckHealthErrors, ThrowOnError, 'data'> => options.client.get<CheckHealthResponses, CheckHealthErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    url: '/health',
    ...options
});

/**
 * Begin to send a recording by tus 1.0
 */
export const createUpload = <ThrowOnError extends boolean = true>(options: Options<CreateUploadData, ThrowOnError>): RequestResult<CreateUploadResponses, CreateUploadErrors, ThrowOnError, 'data'> => options.client.post<CreateUploadResponses, CreateUploadErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/uploads',
    ...options
});

/**
 * Remove an unfinished upload
 */
export const deleteUpload = <ThrowOnError extends boolean = true>(options: Options<DeleteUploadData, ThrowOnError>): RequestResult<DeleteUploadResponses, DeleteUploadErrors, ThrowOnError, 'data'> => options.client.delete<DeleteUploadResponses, DeleteUploadErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/uploads/{uploadId}',
    ...options
});

/**
 * Get how much of a recording has been received, to continue after a cut
 */
export const getUploadOffset = <ThrowOnError extends boolean = true>(options: Options<GetUploadOffsetData, ThrowOnError>): RequestResult<GetUploadOffsetResponses, GetUploadOffsetErrors, ThrowOnError, 'data'> => options.client.head<GetUploadOffsetResponses, GetUploadOffsetErrors, ThrowOnError, 'data'>({
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/uploads/{uploadId}',
    ...options
});

/**
 * Send bytes of a recording. The last one starts its job, and a file that is no recording is refused
 */
export const sendUpload = <ThrowOnError extends boolean = true>(options: Options<SendUploadData, ThrowOnError>): RequestResult<SendUploadResponses, SendUploadErrors, ThrowOnError, 'data'> => options.client.patch<SendUploadResponses, SendUploadErrors, ThrowOnError, 'data'>({
    bodySerializer: null,
    responseStyle: 'data',
    security: [{ scheme: 'bearer', type: 'http' }],
    url: '/api/uploads/{uploadId}',
    ...options,
    headers: {
        'Content-Type': 'application/offset+octet-stream',
        ...options.headers
    }
});
