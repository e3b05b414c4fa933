import { batchOperations } from './batch-operations.ts';
import { downloadOperations } from './download-operations.ts';
import { feedOperations } from './feed-operations.ts';
import { imgnetOperations } from './imgnet-operations.ts';
import { resultOperations } from './result-operations.ts';
import { serviceOperations } from './service-operations.ts';
import { speakerLabelOperations, speechOperations } from './speech-operations.ts';
import { subscriptionOperations } from './subscription-operations.ts';
import { vidnetOperations } from './vidnet-operations.ts';
import { webhookOperations } from './webhook-operations.ts';

/** All operations. The routes, the tRPC procedures, the tools of MCP and the OpenAPI document are all made from this table. */
export const operations = {
  ...downloadOperations,
  ...resultOperations,
  ...vidnetOperations,
  ...speakerLabelOperations,
  ...speechOperations,
  ...imgnetOperations,
  ...batchOperations,
  ...subscriptionOperations,
  ...feedOperations,
  ...webhookOperations,
  ...serviceOperations,
} as const;

export const operationGroups = [
  { tag: 'Downloads', about: 'Audio, videos and pages, and the records of all jobs', rows: downloadOperations },
  { tag: 'Results', about: 'The meaning of a text, and the results of jobs of any kind', rows: resultOperations },
  { tag: 'Video platform', about: 'Channels and transcripts', rows: vidnetOperations },
  { tag: 'Speech', about: 'Transcripts with speakers by one request', rows: speechOperations },
  {
    tag: 'Speaker labels',
    about: 'Transcripts of audio with the speaker of each segment',
    rows: speakerLabelOperations,
  },
  { tag: 'Photo platform', about: 'Profiles, lists, posts and reels', rows: imgnetOperations },
  { tag: 'Batches', about: 'Many jobs by one request', rows: batchOperations },
  {
    tag: 'Subscriptions',
    about: 'What channels, playlists and feeds publish, fetched as it appears',
    rows: subscriptionOperations,
  },
  { tag: 'Feeds', about: 'Podcast feeds of downloaded files', rows: feedOperations },
  { tag: 'Webhooks', about: 'Notifications of ended jobs, and their deliveries', rows: webhookOperations },
  { tag: 'Service', about: 'Credit and health checks', rows: serviceOperations },
] as const;
