import type { BlockList } from 'node:net';
import type { Logger } from 'pino';
import type { RenderContext } from '../contract/render/context.ts';
import type { DeliveryStore } from '../store/deliveries.ts';
import type { FileStore } from '../store/files.ts';
import type { LinkSigner } from '../store/links.ts';
import type { RecordStore } from '../store/records.ts';
import type { WebhookClient } from '../webhooks/client.ts';
import type { WebhookSigner } from '../webhooks/signature.ts';
import type { DeliveryGateway } from './deliveries.ts';
import type { JobGateway } from './jobs.ts';

export interface ImgnetAccess {
  /** Hosts of the platform beside the real ones, with port. */
  readonly hosts: readonly string[];
  /** Whether the dataset API can be used: IMGNET_API_TOKEN is set. */
  readonly isConfigured: boolean;
}

/** What the use cases work with; built in main.ts, or by a test. */
export interface ApiDeps {
  readonly records: RecordStore;
  readonly files: FileStore;
  readonly signer: LinkSigner;
  readonly jobs: JobGateway;
  readonly deliveries: DeliveryStore;
  readonly redeliveries: DeliveryGateway;
  /** Sends webhook tests. */
  readonly webhooks: WebhookClient;
  readonly signWebhook: WebhookSigner;
  /** How long every webhook test without an answer takes, in milliseconds; longer than any attempt of {@link webhooks}. */
  readonly webhookTestMs: number;
  readonly webhookAllowedNetworks: BlockList;
  readonly rendering: RenderContext;
  /** Hosts of the video platform beside the real ones, with port. */
  readonly vidnetHosts: readonly string[];
  /** The photo platform, as far as requests are concerned. */
  readonly imgnet: ImgnetAccess;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly pingMongo: () => Promise<void>;
  readonly log: Logger;
}
