import type { TLSConfig } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';

/** How to reach Temporal, for the client and for the connection of workers. */
export interface TemporalSettings {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string | undefined;
  /** An object sets certificates or a server name; `true` uses those of the system and the address. */
  readonly tls: boolean | TLSConfig;
  /** Encrypts payloads; absent if they are not encrypted. */
  readonly payloadCodec?: PayloadCodec | undefined;
}

/** Waits for a connection. @throws Error with the setting if Temporal does not respond */
export async function orUnreachable<Connected>(address: string, connecting: Promise<Connected>): Promise<Connected> {
  try {
    return await connecting;
  } catch (error) {
    throw new Error(`TEMPORAL_ADDRESS: Temporal does not answer at ${address}`, { cause: error });
  }
}

/** @returns options for both kinds of connection of the SDK. An API key requires TLS. */
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
