export { createClient, type ClientOptions } from './client.ts';
export { JobFailedError, TapedeckError, type ErrorCode, type FieldProblem } from './client-errors.ts';
export { followAllEvents, followBatchEvents, followEvents, waitFor } from './follow-events.ts';
export type { FollowOptions, WaitOptions } from './follow-events.ts';
export { readFile, type FileOptions, type OpenedFile } from './download-file.ts';
export type { Client } from './generated/client/index.ts';
export * from './generated/sdk.gen.ts';
export type * from './generated/types.gen.ts';
export { verifyWebhook, WebhookVerificationError, type ReceivedWebhook, type WebhookEvent } from './verify-webhook.ts';
