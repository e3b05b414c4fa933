import { z } from 'zod';

const bool = z.stringbool();
const port = z.coerce.number().int().min(0).max(65_535);
const url = z.url({ protocol: /^https?$/ });

/** The settings of Temporal, as config.ts declares them. */
export const temporalSettings = {
  TEMPORAL_ADDRESS: z.string().optional().describe('host:port of a Temporal frontend; without it, npm start runs one'),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Temporal namespace'),
  TEMPORAL_API_KEY: z.string().optional().describe('API key of Temporal Cloud; enables TLS'),
  TEMPORAL_TLS: bool.default(false).describe('TLS towards TEMPORAL_ADDRESS; the files below enable it too'),
  TEMPORAL_TLS_CA_FILE: z
    .string()
    .optional()
    .describe('CA certificates (PEM) of the server; default: those of the system'),
  TEMPORAL_TLS_CERT_FILE: z.string().optional().describe('Client certificate (PEM), for servers that require one'),
  TEMPORAL_TLS_KEY_FILE: z.string().optional().describe('Private key of the client certificate (PEM)'),
  TEMPORAL_TLS_SERVER_NAME: z
    .string()
    .optional()
    .describe("Name in the server's certificate, if it differs from TEMPORAL_ADDRESS"),
  PAYLOAD_KEYS: z
    .string()
    .default('')
    .describe(
      'Keys that encrypt payloads in Temporal (name:base64 of 32 bytes, comma-separated): the first one encrypts, unless it is `plain`, and all decrypt; the same for api and worker',
    ),
  CODEC_PORT: port
    .optional()
    .describe("Port of the api, at METRICS_HOST, by which Temporal's Web UI at TEMPORAL_UI_URL decrypts payloads"),
  CODEC_TOKEN: z
    .string()
    .regex(/^\S{32,}$/, 'at least 32 characters, no spaces')
    .optional()
    .describe('Password (any user name) or bearer token for CODEC_PORT; required unless METRICS_HOST is loopback'),
  TEMPORAL_UI_URL: url.optional().describe('Address of the Temporal Web UI, to which responses about jobs link'),
  TASK_QUEUE: z
    .string()
    .regex(/^[\w.-]{1,100}$/)
    .default('tapedeck')
    .describe('Prefix of the Temporal task queues'),
  WORKER_DEPLOYMENT: z
    .string()
    .regex(/^[\w-]{1,100}$/)
    .optional()
    .describe(
      'Worker deployment in Temporal: jobs stay with workers of the release that started them; without it, any worker runs any job',
    ),
  WORKER_BUILD_ID: z
    .string()
    .regex(/^[\w.-]{1,100}$/)
    .optional()
    .describe('Release of a worker in WORKER_DEPLOYMENT. Default: derived from the source of its workflows'),
};
