// Made by `npm run clients`.

import type { Events, Export, Mutation, Query, Wait } from '../rpc-types.ts';
import type * as rest from './types.gen.ts';

// An alias and no interface, which would be no record to tRPC.
export type Procedures = {
  downloads: {
    audio: Mutation<rest.RequestAudioData, rest.RequestAudioResponses & rest.RequestAudioErrors, 200 | 202 | 400 | 500, Wait>;
    video: Mutation<rest.RequestVideoData, rest.RequestVideoResponses & rest.RequestVideoErrors, 200 | 202 | 400 | 500, Wait>;
    media: Mutation<rest.RequestMediaData, rest.RequestMediaResponses & rest.RequestMediaErrors, 200 | 202 | 400 | 500, Wait>;
    list: Query<rest.ListDownloadsData, rest.ListDownloadsResponses & rest.ListDownloadsErrors, 200>;
    get: Query<rest.GetDownloadData, rest.GetDownloadResponses & rest.GetDownloadErrors, 200 | 202, Wait>;
    events: Events<rest.FollowDownloadData, rest.JobResult>;
    allEvents: Events<rest.FollowDownloadsData, rest.DownloadResult>;
    cancel: Mutation<rest.CancelDownloadData, rest.CancelDownloadResponses & rest.CancelDownloadErrors, 200 | 202>;
    removeContents: Mutation<rest.RemoveContentsData, rest.RemoveContentsResponses & rest.RemoveContentsErrors, 200>;
    result: Query<rest.GetResultData, rest.GetResultResponses & rest.GetResultErrors, 200 | 202, Wait>;
    job: Query<rest.GetJobData, rest.GetJobResponses & rest.GetJobErrors, 200>;
  };
  media: {
    info: Mutation<rest.RequestMediaInfoData, rest.RequestMediaInfoResponses & rest.RequestMediaInfoErrors, 200 | 202 | 400 | 500, Wait>;
  };
  resolve: Query<rest.ResolveData, rest.ResolveResponses & rest.ResolveErrors, 200>;
  health: Query<rest.CheckHealthData, rest.CheckHealthResponses & rest.CheckHealthErrors, 200 | 503>;
  channels: {
    profile: Mutation<rest.RequestChannelData, rest.RequestChannelResponses & rest.RequestChannelErrors, 200 | 202 | 400 | 500, Wait>;
  };
  transcripts: {
    request: Mutation<rest.RequestTranscriptData, rest.RequestTranscriptResponses & rest.RequestTranscriptErrors, 200 | 202 | 400 | 500, Wait>;
    get: Query<rest.GetTranscriptData, rest.GetTranscriptResponses & rest.GetTranscriptErrors, 200 | 202, Wait>;
    export: Export<rest.ExportTranscriptData>;
  };
  speakers: {
    request: Mutation<rest.RequestSpeakerLabelsData, rest.RequestSpeakerLabelsResponses & rest.RequestSpeakerLabelsErrors, 200 | 202 | 400 | 500, Wait>;
    get: Query<rest.GetSpeakerLabelsData, rest.GetSpeakerLabelsResponses & rest.GetSpeakerLabelsErrors, 200 | 202, Wait>;
    words: Query<rest.GetSpokenWordsData, rest.GetSpokenWordsResponses & rest.GetSpokenWordsErrors, 200>;
    name: Mutation<rest.NameSpeakersData, rest.NameSpeakersResponses & rest.NameSpeakersErrors, 200>;
    export: Export<rest.ExportSpeakerLabelsData>;
  };
  speech: {
    request: Mutation<rest.RequestSpeechData, rest.RequestSpeechResponses & rest.RequestSpeechErrors, 200 | 202 | 400 | 500, Wait>;
    get: Query<rest.GetSpeechData, rest.GetSpeechResponses & rest.GetSpeechErrors, 200 | 202, Wait>;
  };
  imgnet: {
    profile: Mutation<rest.RequestImgnetProfileData, rest.RequestImgnetProfileResponses & rest.RequestImgnetProfileErrors, 200 | 202 | 400 | 500, Wait>;
    list: Mutation<rest.RequestImgnetListData, rest.RequestImgnetListResponses & rest.RequestImgnetListErrors, 200 | 202 | 400 | 500, Wait>;
    content: Mutation<rest.RequestImgnetContentData, rest.RequestImgnetContentResponses & rest.RequestImgnetContentErrors, 200 | 202 | 400 | 500, Wait>;
    audio: Mutation<rest.RequestImgnetAudioData, rest.RequestImgnetAudioResponses & rest.RequestImgnetAudioErrors, 200 | 202 | 400 | 500, Wait>;
  };
  batches: {
    create: Mutation<rest.CreateBatchData, rest.CreateBatchResponses & rest.CreateBatchErrors, 202>;
    list: Query<rest.ListBatchesData, rest.ListBatchesResponses & rest.ListBatchesErrors, 200>;
    get: Query<rest.GetBatchData, rest.GetBatchResponses & rest.GetBatchErrors, 200>;
    items: Query<rest.ListBatchItemsData, rest.ListBatchItemsResponses & rest.ListBatchItemsErrors, 200>;
    events: Events<rest.FollowBatchData, rest.BatchEvent>;
    cancel: Mutation<rest.CancelBatchData, rest.CancelBatchResponses & rest.CancelBatchErrors, 202>;
    resume: Mutation<rest.ResumeBatchData, rest.ResumeBatchResponses & rest.ResumeBatchErrors, 202>;
    retry: Mutation<rest.RetryBatchData, rest.RetryBatchResponses & rest.RetryBatchErrors, 202>;
  };
  subscriptions: {
    create: Mutation<rest.CreateSubscriptionData, rest.CreateSubscriptionResponses & rest.CreateSubscriptionErrors, 202>;
    list: Query<rest.ListSubscriptionsData, rest.ListSubscriptionsResponses & rest.ListSubscriptionsErrors, 200>;
    get: Query<rest.GetSubscriptionData, rest.GetSubscriptionResponses & rest.GetSubscriptionErrors, 200>;
    change: Mutation<rest.ChangeSubscriptionData, rest.ChangeSubscriptionResponses & rest.ChangeSubscriptionErrors, 200>;
    remove: Mutation<rest.RemoveSubscriptionData, rest.RemoveSubscriptionResponses & rest.RemoveSubscriptionErrors, 200>;
    pause: Mutation<rest.PauseSubscriptionData, rest.PauseSubscriptionResponses & rest.PauseSubscriptionErrors, 200>;
    resume: Mutation<rest.ResumeSubscriptionData, rest.ResumeSubscriptionResponses & rest.ResumeSubscriptionErrors, 202>;
    check: Mutation<rest.CheckSubscriptionData, rest.CheckSubscriptionResponses & rest.CheckSubscriptionErrors, 202>;
    items: Query<rest.ListSubscriptionItemsData, rest.ListSubscriptionItemsResponses & rest.ListSubscriptionItemsErrors, 200>;
  };
  feeds: {
    create: Mutation<rest.CreateFeedData, rest.CreateFeedResponses & rest.CreateFeedErrors, 200>;
    list: Query<rest.ListFeedsData, rest.ListFeedsResponses & rest.ListFeedsErrors, 200>;
    delete: Mutation<rest.DeleteFeedData, rest.DeleteFeedResponses & rest.DeleteFeedErrors, 200>;
  };
  webhook: {
    test: Mutation<rest.TestWebhookData, rest.TestWebhookResponses & rest.TestWebhookErrors, 200>;
    deliveries: Query<rest.ListDeliveriesData, rest.ListDeliveriesResponses & rest.ListDeliveriesErrors, 200>;
    redeliver: Mutation<rest.RedeliverWebhookData, rest.RedeliverWebhookResponses & rest.RedeliverWebhookErrors, 202>;
  };
};
