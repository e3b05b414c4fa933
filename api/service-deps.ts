import type { BlockList } from 'node:net';
import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import type { Platforms } from '../config.ts';
import type { RenderContext } from '../contract/kinds/kind.ts';
import type { Prices } from '../contract/kinds/configured-prices.ts';
import { createAccountStore } from '../store/accounts/account-store.ts';
import { createIdempotencyKeyStore } from '../store/accounts/idempotency-keys.ts';
import { createKeyDownloadStore } from '../store/accounts/key-downloads.ts';
import { createBatchStore } from '../store/records/batch-store.ts';
import { createContentsStore } from '../store/records/contents-store.ts';
import type { JobHistories } from '../runtime/temporal/job-histories.ts';
import { createExpiredDocuments, type ExpiredDocuments } from '../store/records/expired-documents.ts';
import { createDeliveryStore } from '../store/records/delivery-store.ts';
import type { StoredFeed } from '../contract/http/feed-schemas.ts';
import { createOwnedDocuments } from '../store/records/owned-documents.ts';
import type { FileStore } from '../store/files/file-store.ts';
import { createKeyStore } from '../store/accounts/key-store.ts';
import type { LinkSigner } from '../store/files/link-signer.ts';
import { createListStore } from '../store/records/list-store.ts';
import { createSubscriptionStore } from '../store/records/subscription-store.ts';
import { createWebhookSubscriptionStore } from '../store/records/webhook-subscriptions.ts';
import { createRecordStore } from '../store/records/record-store.ts';
import { createRequestCountStore } from '../store/accounts/request-counts.ts';
import { createSpeechLanguages, type SpeechLanguages } from '../store/records/speech-languages.ts';
import type { WebhookClient } from '../outbound/webhooks/webhook-client.ts';
import type { WebhookSigner } from '../outbound/webhooks/webhook-signature.ts';
import type { AdmissionQueue } from './admission-queue.ts';
import type { BatchGateway, DeliveryGateway } from './workflow-gateways.ts';
import type { AnswerBudget } from './edge/answer-budget.ts';
import type { EngineHealth } from '../store/mongo/engine-health.ts';
import type { DownloadFeeds } from './events/download-feeds.ts';
import type { JobWatches } from './events/job-watches.ts';
import type { SubscriptionSchedules } from './subscription-schedules.ts';
import type { JobGateway } from './job-gateway.ts';

/** The stores of the api, all in one database. */
export function createStores(db: Db, now: () => number) {
  const records = createRecordStore(db);
  const speechLanguages: Pick<SpeechLanguages, 'known' | 'speed'> = createSpeechLanguages(db);
  const expiredDocuments: Pick<ExpiredDocuments, 'removeAll'> = createExpiredDocuments(db);
  return {
    ...{ records, speechLanguages, expiredDocuments },
    lists: createListStore(db, { records, now }),
    keys: createKeyStore(db),
    accounts: createAccountStore(db),
    keyDownloads: createKeyDownloadStore(db),
    requestCounts: createRequestCountStore(db),
    idempotencyKeys: createIdempotencyKeyStore(db),
    batches: createBatchStore(db),
    subscriptions: createSubscriptionStore(db),
    podcastFeeds: createOwnedDocuments<StoredFeed>(db, 'feeds'),
    webhookSubscriptions: createWebhookSubscriptionStore(db),
    deliveries: createDeliveryStore(db),
    contents: createContentsStore(db),
  };
}

export interface ServiceDeps extends Readonly<ReturnType<typeof createStores>> {
  readonly files: FileStore;
  readonly signer: LinkSigner;
  readonly jobs: JobGateway;
  readonly batchRuns: BatchGateway;
  readonly schedules: SubscriptionSchedules;
  /** The address of the service, without a slash at its end. */
  readonly publicUrl: string;
  readonly watches: JobWatches;
  readonly feeds: DownloadFeeds;
  readonly admissionQueue: AdmissionQueue;
  readonly redeliveries: DeliveryGateway;
  readonly webhooks: WebhookClient;
  readonly signWebhook: WebhookSigner;
  /** The duration of every webhook test without an answer, in milliseconds; longer than any attempt of {@link webhooks}. */
  readonly webhookTestMs: number;
  readonly webhookAllowedNetworks: BlockList;
  readonly histories: JobHistories;
  readonly rendering: RenderContext & { readonly prices: Prices };
  readonly defaultWaitSeconds: number;
  readonly platforms: Platforms;
  readonly workflowUrl: (workflowId: string) => string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds on a monotonic clock, for durations within the process. */
  readonly elapsed: () => number;
  readonly checkEngines: EngineHealth;
  readonly answerBudget: AnswerBudget;
  readonly stopping: AbortSignal;
  readonly log: Logger;
}

/** The part of the dependencies that the acceptance of a job needs, in the api and for the items of a batch in the worker. */
export type AcceptDeps = Pick<
  ServiceDeps,
  | 'records'
  | 'accounts'
  | 'keyDownloads'
  | 'files'
  | 'jobs'
  | 'admissionQueue'
  | 'webhookSubscriptions'
  | 'redeliveries'
  | 'now'
  | 'stopping'
  | 'log'
> & { readonly feeds: Pick<DownloadFeeds, 'accepted'> };

/** The part that finds out which job a request means. */
export type PlanDeps = Pick<ServiceDeps, 'platforms' | 'files' | 'now'> & {
  readonly rendering: Pick<ServiceDeps['rendering'], 'prices'>;
  readonly records: Pick<ServiceDeps['records'], 'canonicalOf' | 'ownerOf' | 'successOf'>;
};

/** The part that starts transcriptions, in the api and for jobs of transcripts in the worker. */
export type SpeechDeps = AcceptDeps & PlanDeps & Pick<ServiceDeps, 'speechLanguages'>;
