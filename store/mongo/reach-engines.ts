import type { ClientInterceptors } from '@temporalio/client';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { ConfigError } from '../../config-values.ts';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { createPayloadCodec } from '../../runtime/temporal/payload-codec.ts';
import { awaitEngine } from '../../runtime/subprocess/await-engine.ts';
import { isFinalRefusal as isFinalOfTemporal, openTemporal } from '../../runtime/temporal/temporal-client.ts';
import type { TemporalSettings } from '../../runtime/temporal/temporal-client.ts';
import type { temporalSettings } from '../../runtime/temporal/temporal-settings.ts';
import { optional } from '../../runtime/optional.ts';
import { isFinalRefusal as isFinalOfMongo, openMongo } from './mongo-client.ts';
import { refuseUnfinishedRestore } from '../backup/unfinished-restore.ts';

const NODE_MAJOR = Number(process.versions.node.split('.')[0]);

interface TemporalConfig extends z.output<z.ZodObject<typeof temporalSettings>> {
  readonly TEMPORAL_ADDRESS: string;
}
interface EngineSettings extends TemporalConfig {
  readonly MONGODB_URI: string;
  readonly MONGODB_DATABASE: string;
  readonly STARTUP_WAIT_SECONDS: number;
}

export async function temporalSettingsOf(config: TemporalConfig): Promise<TemporalSettings> {
  return {
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    apiKey: config.TEMPORAL_API_KEY,
    tls: await tlsOf(config),
    payloadCodec: config.PAYLOAD_KEYS && createPayloadCodec(config.PAYLOAD_KEYS),
  };
}

async function tlsOf(config: TemporalConfig): Promise<TemporalSettings['tls']> {
  refuseAddressAsName(config);
  const files = (['TEMPORAL_TLS_CA_FILE', 'TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE'] as const).map((setting) =>
    fileOf(setting, config[setting]),
  );
  const [ca, crt, key] = await Promise.all(files);
  const { TEMPORAL_TLS_SERVER_NAME: name } = config;
  if (ca === undefined && crt === undefined && name === undefined) return config.TEMPORAL_TLS;
  return {
    ...optional('serverRootCACertificate', ca),
    ...optional('serverNameOverride', name),
    ...(crt !== undefined && key !== undefined && { clientCertPair: { crt, key } }),
  };
}

/** Node 26 accepts no IP address as a TLS server name, and the client would retry for ever without showing the reason. */
function refuseAddressAsName({ TEMPORAL_ADDRESS: address, ...config }: TemporalConfig): void {
  const isTls =
    config.TEMPORAL_TLS ||
    (config.TEMPORAL_API_KEY ?? config.TEMPORAL_TLS_CA_FILE ?? config.TEMPORAL_TLS_CERT_FILE) !== undefined;
  const isAddress = isIP(address.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')) !== 0;
  if (isTls && isAddress && config.TEMPORAL_TLS_SERVER_NAME === undefined && NODE_MAJOR >= 26) {
    throw new ConfigError(
      'TEMPORAL_TLS_SERVER_NAME: needed where TEMPORAL_ADDRESS is an IP address, which Node 26 does not accept as the name of a server',
    );
  }
}

async function fileOf(setting: string, path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  return readFile(path).catch((error: unknown) => {
    throw new Error(`${setting}: ${path} cannot be read`, { cause: error });
  });
}

/** @param timeoutMs of a request to MongoDB @throws Error with the setting of an engine that does not respond; what {@link refuseUnfinishedRestore} throws */
export async function reachEngines(
  config: EngineSettings,
  { timeoutMs, log, interceptors }: { timeoutMs: number; log: Logger; interceptors?: ClientInterceptors | undefined },
) {
  const settings = await temporalSettingsOf(config);
  const mongo = openMongo({ uri: config.MONGODB_URI, database: config.MONGODB_DATABASE, timeoutMs });
  const wait = { timeoutMs: config.STARTUP_WAIT_SECONDS * 1000, log };
  const [temporal] = await Promise.all([
    awaitEngine({ ...wait, name: 'Temporal', setting: 'TEMPORAL_ADDRESS', isFinal: isFinalOfTemporal }, () =>
      openTemporal(settings, interceptors),
    ),
    awaitEngine({ ...wait, name: 'MongoDB', setting: 'MONGODB_URI', isFinal: isFinalOfMongo }, () => mongo.ping()),
  ]);
  await refuseUnfinishedRestore(mongo.db);
  return { mongo, client: temporal.client, closeTemporal: temporal.close };
}
