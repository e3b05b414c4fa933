import { downloadOperations } from './operations/downloads.ts';
import { imgnetOperations } from './operations/imgnet.ts';
import { resultOperations } from './operations/results.ts';
import { serviceOperations } from './operations/service.ts';
import { speakerLabelOperations } from './operations/speaker-labels.ts';
import { vidnetOperations } from './operations/vidnet.ts';
import { webhookOperations } from './operations/webhooks.ts';

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
