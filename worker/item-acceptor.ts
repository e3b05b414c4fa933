import type { Client } from '@temporalio/client';
import type { Db } from 'mongodb';
import type { BatchListingDeps } from '../activities/batches/list-batch.ts';
import type { LeaveListDeps } from '../activities/batches/list-source.ts';
import type { PieceDeps } from '../activities/batches/open-piece.ts';
import type { ChannelDeps } from '../activities/channel.ts';
import type { SpokenTranscriptDeps } from '../activities/spoken-transcript.ts';
import { ADMISSION_DEFAULTS, createAdmissionQueue } from '../api/admission-queue.ts';
import { createDeliveryGateway } from '../api/workflow-gateways.ts';
import { createJobGateway, unlessClosed } from '../api/job-gateway.ts';
import type { SpeechDeps } from '../api/service-deps.ts';
import { acceptItem, itemOf } from '../api/use-cases/batch-items.ts';
import { collectProfile, leaveProfile } from '../api/use-cases/collect-profile.ts';
import { currentJob } from '../api/use-cases/current-job.ts';
import type { ListDeps } from '../api/use-cases/imgnet-list.ts';
import { startSpeech } from '../api/use-cases/speech.ts';
import { ApiError } from '../contract/http/api-error.ts';
import type { Config } from '../config.ts';
import type { Breakers } from '../pacing/breakers.ts';
import { createAccountStore } from '../store/accounts/account-store.ts';
import { createSpeechLanguages } from '../store/records/speech-languages.ts';
import { createWebhookSubscriptionStore } from '../store/records/webhook-subscriptions.ts';

interface Service {
  readonly db: Db;
  readonly client: Client;
  readonly breakers: Breakers;
  readonly config: Pick<Config, 'TASK_QUEUE' | 'platforms' | 'prices'>;
}

/** Lets activities start, find, cancel and end jobs by the use cases of the api, which single requests use. */
export function createItemAcceptor(
  {
    contents,
    ...shared
  }: Pick<ListDeps, 'records' | 'lists' | 'files' | 'keyDownloads' | 'now' | 'stopping' | 'log'> & {
    readonly contents: ListDeps['rendering']['contents'];
  },
  { db, client, breakers, config }: Service,
): Pick<PieceDeps, 'acceptItem' | 'cancelItem' | 'endIfGone'> &
  Pick<BatchListingDeps, 'planItem' | 'collectProfile'> &
  Pick<LeaveListDeps, 'leaveProfile'> &
  Pick<SpokenTranscriptDeps, 'startSpeech'> &
  Pick<ChannelDeps, 'isOpen'> {
  const deps: SpeechDeps & ListDeps = {
    ...shared,
    accounts: createAccountStore(db),
    webhookSubscriptions: createWebhookSubscriptionStore(db),
    jobs: createJobGateway(client, config.TASK_QUEUE, breakers),
    speechLanguages: createSpeechLanguages(db),
    redeliveries: createDeliveryGateway(client, config.TASK_QUEUE),
    admissionQueue: createAdmissionQueue(ADMISSION_DEFAULTS),
    // Event streams of the api find these jobs when they read their lists again.
    feeds: { accepted: () => undefined },
    platforms: config.platforms,
    rendering: { prices: config.prices, contents },
  };
  return {
    planItem: (request) =>
      itemOf(deps, request).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code === 'internal') throw error;
        return { request, subjectId: `refused/${JSON.stringify(request)}`, price: 0 };
      }),
    acceptItem: (order) => acceptItem(deps, order),
    collectProfile: (order) => collectProfile(deps, order),
    leaveProfile: (order) => leaveProfile(deps, order),
    cancelItem: async ({ subjectId, id: recordId }) => {
      await deps.jobs.cancel({ subjectId, recordId });
    },
    isOpen: (workflowId) =>
      unlessClosed(
        client,
        async () => (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING',
      ),
    endIfGone: async (record) => (await currentJob(deps, record, 0)).record,
    startSpeech: async (caller, order) => {
      const started = await startSpeech(deps, caller, { ...order, endsWithStarter: true });
      return started.type === 'speaker_labels' ? started : undefined;
    },
  };
}
