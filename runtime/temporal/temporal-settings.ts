import { bool, list, optionalPort, optionalText, optionalToken, optionalUrl, text } from '../setting-types.ts';
import type { PayloadKeys } from './payload-codec.ts';

const IN_CLEAR = 'plain';

/** The keys that encrypt payloads; undefined if they are not encrypted. */
const payloadKeys = list.default([]).transform((entries, context): PayloadKeys | undefined => {
  if (entries.length === 0) return undefined;
  const all = entries.flatMap((entry, index) => {
    if (index === 0 && entry === IN_CLEAR) return [];
    const [, id = '', base64 = ''] = /^([\w.-]{1,60}):([A-Za-z0-9+/]{43}=)$/.exec(entry) ?? [];
    // The message names the position and not the key, because it may reach logs.
    if (id === '') context.addIssue(`number ${String(index + 1)} is not a name, : and the base64 of 32 bytes`);
    return { id, key: Buffer.from(base64, 'base64') };
  });
  if (new Set(all.map(({ id }) => id)).size < all.length) context.addIssue('two have the same name');
  return { current: entries[0] === IN_CLEAR ? undefined : all[0], all };
});

/** The settings of Temporal, as config.ts declares them. */
export const temporalSettings = {
  TEMPORAL_ADDRESS: optionalText.describe('host:port of a Temporal frontend; without it, npm start runs one'),
  TEMPORAL_NAMESPACE: text.default('default').describe('Temporal namespace'),
  TEMPORAL_API_KEY: optionalText.describe('API key of Temporal Cloud; enables TLS'),
  TEMPORAL_TLS: bool.default(false).describe('TLS towards TEMPORAL_ADDRESS; the files below enable it too'),
  TEMPORAL_TLS_CA_FILE: optionalText.describe('CA certificates (PEM) of the server; default: those of the system'),
  TEMPORAL_TLS_CERT_FILE: optionalText.describe('Client certificate (PEM), for servers that require one'),
  TEMPORAL_TLS_KEY_FILE: optionalText.describe('Private key of the client certificate (PEM)'),
  TEMPORAL_TLS_SERVER_NAME: optionalText.describe(
    "Name in the server's certificate, if it differs from TEMPORAL_ADDRESS",
  ),
  PAYLOAD_KEYS: payloadKeys.describe(
    'Keys that encrypt payloads in Temporal (name:base64 of 32 bytes, comma-separated): the first one encrypts, unless it is `plain`, and all decrypt; the same for api and worker',
  ),
  CODEC_PORT: optionalPort.describe(
    "Port of the api, at METRICS_HOST, by which Temporal's Web UI at TEMPORAL_UI_URL decrypts payloads",
  ),
  CODEC_TOKEN: optionalToken.describe(
    'Password (any user name) or bearer token for CODEC_PORT; required unless METRICS_HOST is loopback',
  ),
  TEMPORAL_UI_URL: optionalUrl.describe('Address of the Temporal Web UI, to which responses about jobs link'),
  TASK_QUEUE: text
    .regex(/^[\w.-]{1,100}$/)
    .default('tapedeck')
    .describe('Prefix of the Temporal task queues'),
  WORKER_DEPLOYMENT: text
    .regex(/^[\w-]{1,100}$/)
    .optional()
    .describe(
      'Worker deployment in Temporal: jobs stay with workers of the release that started them; without it, any worker runs any job',
    ),
  WORKER_BUILD_ID: text
    .regex(/^[\w.-]{1,100}$/)
    .optional()
    .describe('Release of a worker in WORKER_DEPLOYMENT. Default: derived from the source of its workflows'),
};
