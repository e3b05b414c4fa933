// The entry of the workflow bundle: every exported function is a workflow type.
export { audio } from './jobs/audio.ts';
export { batch } from './batches/run-batch.ts';
export { channel } from './jobs/channel.ts';
export { checkSubscription } from './subscriptions/check-subscription.ts';
export { deliverWebhook } from './webhooks/deliver-webhook.ts';
export { imgnetAudio } from './jobs/imgnet-audio.ts';
export { imgnetContent } from './jobs/imgnet-content.ts';
export { imgnetList } from './jobs/imgnet-list.ts';
export { imgnetProfile } from './jobs/imgnet-profile.ts';
export { media } from './jobs/media.ts';
export { mediaInfo } from './jobs/media-info.ts';
export { nexusRequest } from './nexus-request.ts';
export { retention } from './retention.ts';
export { speakerLabels } from './jobs/speaker-labels.ts';
export { transcript } from './jobs/transcript.ts';
export { upload } from './jobs/upload.ts';
export { video } from './jobs/video.ts';
