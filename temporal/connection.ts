/** How to reach Temporal; the same for the api's client and the worker's connection. */
export interface TemporalSettings {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string | undefined;
  readonly tls: boolean;
}

/** Options that both kinds of connection of the SDK take. An API key needs TLS. */
export function connectionOptions(settings: TemporalSettings): { address: string; tls: boolean; apiKey?: string } {
  return {
    address: settings.address,
    tls: settings.tls || settings.apiKey !== undefined,
    ...(settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }),
  };
}
