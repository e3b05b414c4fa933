import { downloadOperations } from './download-operations.ts';
import { imgnetOperations } from './imgnet-operations.ts';
import { resultOperations } from './result-operations.ts';
import { serviceOperations } from './service-operations.ts';
import { speakerLabelOperations } from './speaker-label-operations.ts';
import { vidnetOperations } from './vidnet-operations.ts';
import { webhookOperations } from './webhook-operations.ts';

/** All operations. The routes, the tRPC procedures and the OpenAPI document are all made from this table. */
export const operations = {
  ...downloadOperations,
  ...resultOperations,
  ...vidnetOperations,
  ...speakerLabelOperations,
  ...imgnetOperations,
  ...webhookOperations,
  ...serviceOperations,
} as const;

/** The same in groups, which the OpenAPI document names. */
export const operationGroups = [
  { tag: 'Downloads', about: 'Audio, videos and pages, and the records of all jobs', rows: downloadOperations },
  { tag: 'Results', about: 'What a text means, and what a job of any kind has made', rows: resultOperations },
  { tag: 'Video platform', about: 'Channels and transcripts', rows: vidnetOperations },
  { tag: 'Speaker labels', about: 'Who says what in an audio', rows: speakerLabelOperations },
  { tag: 'Photo platform', about: 'Profiles, lists, posts and reels', rows: imgnetOperations },
  { tag: 'Webhooks', about: 'What is sent when a job ends, and its log', rows: webhookOperations },
  { tag: 'Service', about: 'Credit, and the state of the service', rows: serviceOperations },
] as const;
