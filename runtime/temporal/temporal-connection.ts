import type { TLSConfig } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';

/** How to reach Temporal; the same for the api's client and the worker's connection. */
export interface TemporalSettings {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string | undefined;
  /** An object for certificates other than the system's, or a name other than the address's. */
  readonly tls: boolean | TLSConfig;
  /** Of what is sent there and comes from there; absent: all stands there in clear. */
  readonly payloadCodec?: PayloadCodec | undefined;
}

/** Temporal did not answer; the message names the setting. */
export class TemporalUnreachableError extends Error {
  override readonly name = 'TemporalUnreachableError';
}

/** Connects, or says which setting leads nowhere. @throws TemporalUnreachableError */
export async function orUnreachable<Connected>(address: string, connecting: Promise<Connected>): Promise<Connected> {
  try {
    return await connecting;
  } catch (error) {
    throw new TemporalUnreachableError(`TEMPORAL_ADDRESS: no Temporal answers at ${address}`, { cause: error });
  }
}

/** Options that both kinds of connection of the SDK take. An API key needs TLS. */
export function connectionOptions(settings: TemporalSettings): {
  address: string;
  tls: boolean | TLSConfig;
  apiKey?: string;
} {
  return {
    address: settings.address,
    tls: settings.tls === false ? settings.apiKey !== undefined : settings.tls,
    ...(settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }),
  };
}
