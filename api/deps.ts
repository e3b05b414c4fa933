import type { BlockList } from 'node:net';
import type { Logger } from 'pino';
import type { Prices } from '../contract/prices.ts';
import type { FileStore } from '../store/files.ts';
import type { LinkSigner } from '../store/links.ts';
import type { RecordStore } from '../store/records.ts';
import type { WebhookClient } from '../webhooks/client.ts';
import type { JobGateway } from './jobs.ts';

/** What the use cases work with; built in main.ts, or by a test. */
export interface ApiDeps {
  readonly records: RecordStore;
  readonly files: FileStore;
  readonly signer: LinkSigner;
  readonly jobs: JobGateway;
  readonly webhooks: WebhookClient;
  readonly webhookAllowedNetworks: BlockList;
  readonly prices: Prices;
  readonly pingMongo: () => Promise<void>;
  readonly log: Logger;
}
