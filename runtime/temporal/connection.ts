/** How to reach Temporal; the same for the api's client and the worker's connection. */
export interface TemporalSettings {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string | undefined;
  readonly tls: boolean;
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
export function connectionOptions(settings: TemporalSettings): { address: string; tls: boolean; apiKey?: string } {
  return {
    address: settings.address,
    tls: settings.tls || settings.apiKey !== undefined,
    ...(settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }),
  };
}
