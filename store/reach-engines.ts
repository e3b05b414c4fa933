import type { ClientInterceptors } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { awaitEngine } from '../runtime/subprocess/await-engine.ts';
import { isFinalRefusal as isFinalOfTemporal, openTemporal } from '../runtime/temporal/client.ts';
import { isFinalRefusal as isFinalOfMongo, openMongo } from './mongo.ts';

type EngineSetting =
  'TEMPORAL_NAMESPACE' | 'TEMPORAL_API_KEY' | 'TEMPORAL_TLS' | 'MONGODB_DATABASE' | 'STARTUP_WAIT_SECONDS';
type EngineSettings = Pick<Config, EngineSetting> & { readonly TEMPORAL_ADDRESS: string; readonly MONGODB_URI: string };

/** @returns how Temporal is reached, as the settings say it */
export function temporalSettingsOf(config: EngineSettings) {
  return {
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    apiKey: config.TEMPORAL_API_KEY,
    tls: config.TEMPORAL_TLS,
  };
}

/**
 * Reaches Temporal and MongoDB, and waits for them while they start.
 *
 * @param timeoutMs of a request to MongoDB
 * @throws EngineAwayError
 */
export async function reachEngines(
  config: EngineSettings,
  { timeoutMs, log, interceptors }: { timeoutMs: number; log: Logger; interceptors?: ClientInterceptors | undefined },
) {
  const mongo = openMongo({ uri: config.MONGODB_URI, database: config.MONGODB_DATABASE, timeoutMs });
  const wait = { timeoutMs: config.STARTUP_WAIT_SECONDS * 1000, log };
  const [temporal] = await Promise.all([
    awaitEngine({ ...wait, name: 'Temporal', setting: 'TEMPORAL_ADDRESS', isFinal: isFinalOfTemporal }, () =>
      openTemporal(temporalSettingsOf(config), interceptors),
    ),
    awaitEngine({ ...wait, name: 'MongoDB', setting: 'MONGODB_URI', isFinal: isFinalOfMongo }, () => mongo.ping()),
  ]);
  return { mongo, client: temporal.client, closeTemporal: temporal.close };
}
