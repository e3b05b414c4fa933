// The entry of the workflow bundle: every exported function is a workflow type.
export { audio } from './audio.ts';
export { channel } from './channel.ts';
export { deliverWebhook } from './deliver-webhook.ts';
export { imgnetAudio } from './imgnet-audio.ts';
export { imgnetContent } from './imgnet-content.ts';
export { imgnetList } from './imgnet-list.ts';
export { imgnetProfile } from './imgnet-profile.ts';
export { media } from './media.ts';
export { retention } from './retention.ts';
export { speakerLabels } from './speaker-labels.ts';
export { transcript } from './transcript.ts';
export { video } from './video.ts';
