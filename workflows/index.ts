// The entry of the workflow bundle: every exported function is a workflow type.
export { audio } from './audio.ts';
export { deliverWebhook } from './deliver-webhook.ts';
export { video } from './video.ts';
