import type { BlockList } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError, entriesOf, parseNetworks, parsePayloadKeys, parseSecrets, trimSlash } from './config-values.ts';
import { IMGNET_PLATFORM_URL } from './contract/urls/imgnet-urls.ts';
import { DEFAULT_WAIT_SECONDS, PREFER_WAIT_MAX_SECONDS } from './contract/limits.ts';
import { priceSettings, priceTable, type Prices } from './contract/kinds/prices.ts';
import { isLoopbackHost } from './outbound/loopback.ts';
import { workerRoles } from './runtime/temporal/worker-roles.ts';
import { BRIGHT_DATA_API_URL, BRIGHT_DATA_DATASETS } from './sources/imgnet/bright-data-requests.ts';
import type { PayloadKeys } from './runtime/temporal/payload-codec.ts';
import { temporalSettings } from './runtime/temporal/temporal-settings.ts';
import { YTDLP_CHANNELS } from './sources/vidnet/releases/release-version.ts';
import { speechSettings } from './speech/speech-settings.ts';
import type { FileStoreLocation } from './store/files/create-file-store.ts';
import { fileSettings, fileStoreLocationOf } from './store/files/file-settings.ts';

const bool = z.stringbool();
const port = z.coerce.number().int().min(0).max(65_535);
const positive = z.coerce.number().int().positive();
const url = z.url({ protocol: /^https?$/ });
const datasetId = z.string().regex(/^[\w-]{1,100}$/);
const ANY_ADDRESS = new Set(['0.0.0.0', '::']);

/** Every setting of the service: name in the environment, meaning, default. docs/settings.md is made from it. */
export const settings = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address that REST listens on'),
  PORT: port.default(3000).describe('Port of REST, the files, the OpenAPI document and its page'),
  RPC_HOST: z.string().default('127.0.0.1').describe('Address that tRPC listens on'),
  RPC_PORT: port.default(3001).describe('Port of tRPC'),
  RPC_TOKEN: z
    .string()
    .regex(/^\S{32,}$/, 'at least 32 characters, no spaces')
    .optional()
    .describe('Token that callers of tRPC send, at least 32 characters; npm start makes one'),
  ALLOW_ANONYMOUS: bool
    .optional()
    .describe('Whether REST lets in callers without an API key; default: only while nothing but loopback leads here'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .describe('Networks (CIDR, comma-separated) of reverse proxies whose word on the client address is taken'),
  PUBLIC_URL: url.optional().describe('Base address that callers use; default: http://HOST:PORT'),
  DRIVE_URL: url.optional().describe('Base address of signed file links; default: PUBLIC_URL'),
  DATA_DIR: z.string().default('./data').describe('Folder of files, work in progress and embedded engines'),
  ...fileSettings,
  LINK_SECRET: z
    .string()
    .transform(entriesOf)
    .refine(areSecrets, 'at least 32 characters each')
    .optional()
    .describe(
      'Keys of signed links (comma-separated, 32 characters each at least); the first signs; for api and worker',
    ),
  LINK_TTL_SECONDS: positive.max(604_800).default(3600).describe('How long a signed link is valid'),
  DEFAULT_WAIT_SECONDS: positive
    .max(PREFER_WAIT_MAX_SECONDS)
    .default(DEFAULT_WAIT_SECONDS)
    .describe('How long a channel or a transcript is waited for without `Prefer`; less than proxies and clients wait'),
  RATE_LIMIT_PER_MINUTE: positive.default(90).describe('Requests a minute and caller'),
  WEBHOOK_ALLOWED_NETWORKS: z
    .string()
    .default('')
    .describe('Networks (CIDR, comma-separated) exempt from the ban on private webhook targets'),
  WEBHOOK_SECRETS: z
    .string()
    .default('')
    .describe('Secrets that sign webhooks (whsec_ and base64, comma-separated); the same for api and worker'),
  ...temporalSettings,
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//)
    .optional()
    .describe(
      'MongoDB server, with its TLS options (tls, tlsCAFile, tlsCertificateKeyFile); without it, npm start runs one',
    ),
  MONGODB_DATABASE: z
    .string()
    .regex(/^[\w-]{1,60}$/)
    .default('tapedeck')
    .describe('Database name'),
  VIDNET_VIDEO_URL: z
    .string()
    .regex(/^https?:\/\/.*\{id\}/, 'an http(s) URL with {id} in it')
    .default('https://www.youtube.com/watch?v={id}')
    .describe('Page of a video; {id} is replaced'),
  VIDNET_CHANNEL_URL: z
    .string()
    .regex(/^https?:\/\/.*\{path\}/, 'an http(s) URL with {path} in it')
    .default('https://www.youtube.com/{path}')
    .describe('Page of a channel; {path} is replaced by @handle, channel/ID, c/NAME or user/NAME'),
  VIDNET_API_KEY: z
    .string()
    .optional()
    .describe('Key of the Data API v3; without it channels and comments are read by yt-dlp, which knows less'),
  VIDNET_API_URL: url.default('https://www.googleapis.com/').describe('Base address of the Data API v3'),
  IMGNET_API_URL: url.default(BRIGHT_DATA_API_URL).describe('Base address of the dataset API'),
  IMGNET_API_TOKEN: z
    .string()
    .optional()
    .describe('Token of the dataset API; without it there is nothing of the photo platform'),
  IMGNET_DATASET_PROFILES: datasetId.default(BRIGHT_DATA_DATASETS.profiles).describe('Dataset of profiles'),
  IMGNET_DATASET_POSTS: datasetId.default(BRIGHT_DATA_DATASETS.posts).describe('Dataset of posts'),
  IMGNET_DATASET_REELS: datasetId.default(BRIGHT_DATA_DATASETS.reels).describe('Dataset of reels'),
  IMGNET_PLATFORM_URL: url
    .default(IMGNET_PLATFORM_URL)
    .describe("Base address of the photo platform's pages, as the dataset API is told them"),
  MEDIA_SITES: z
    .string()
    .toLowerCase()
    .regex(/^[\w.-]+(?: *, *[\w.-]+)*$/, 'off, all, or names of hosts, separated by commas')
    .default('all')
    .describe('Sites whose pages are fetched: off, all, or hosts (comma-separated), with all hosts below them'),
  MEDIA_ALLOWED_NETWORKS: z
    .string()
    .default('')
    .describe('Networks (CIDR, comma-separated) exempt from the ban on private addresses of media'),
  YTDLP_PATH: z.string().default('yt-dlp').describe('yt-dlp program'),
  YTDLP_CHANNEL: z
    .enum(YTDLP_CHANNELS)
    .default('pinned')
    .describe('Releases of yt-dlp that workers fetch and use by themselves: `pinned` (none), `stable`, or `nightly`'),
  YTDLP_INDEX_URL: url
    .default('https://pypi.org/simple')
    .describe('Index of Python packages that they come from, with their checksums (PEP 691)'),
  YTDLP_PLUGIN_DIR: z.string().optional().describe('Folder of yt-dlp extractor plugins; without it none are loaded'),
  YTDLP_COOKIES_FILE: z.string().optional().describe('Cookies handed to yt-dlp (Netscape format)'),
  YTDLP_PROXY: z
    .url()
    .optional()
    .describe('Proxy handed to yt-dlp; it must refuse private addresses itself. Default: our own, which does'),
  YTDLP_EXTRACTOR_ARGS: z
    .string()
    .optional()
    .describe('Extractor arguments handed to yt-dlp; those of several extractors are parted by spaces'),
  YTDLP_JS_RUNTIME: z
    .string()
    .optional()
    .describe('JavaScript runtime handed to yt-dlp, such as deno:/usr/bin/deno. Default: the Node that runs Tapedeck'),
  FFMPEG_PATH: z.string().default('ffmpeg').describe('ffmpeg program'),
  FFPROBE_PATH: z.string().default('ffprobe').describe('ffprobe program'),
  VIDNET_MAX_JOBS: positive
    .default(4)
    .describe('Jobs that use the video platform at once in one worker; downloads no more than MAX_FETCHES'),
  VIDNET_STARTS_PER_MINUTE: positive
    .default(60)
    .describe('Jobs that may start to use the video platform in a minute, of all workers together'),
  IMGNET_MAX_JOBS: positive
    .default(20)
    .describe('Jobs that use the photo platform at once in one worker; downloads no more than MAX_FETCHES'),
  IMGNET_STARTS_PER_MINUTE: positive
    .default(60)
    .describe('Jobs that may start to use the photo platform in a minute, of all workers together'),
  UPSTREAM_FIRST_PAUSE_SECONDS: positive
    .default(15)
    .describe('Pause of a platform after it refused us; it doubles with each further refusal'),
  UPSTREAM_MAX_PAUSE_SECONDS: positive.default(900).describe('Longest of these pauses'),
  WORKER_ROLES: z
    .string()
    .default(workerRoles.join(','))
    .transform(entriesOf)
    .pipe(z.array(z.enum(workerRoles)).nonempty())
    .describe('What a worker does (comma-separated); together the workers of a service must do all of it'),
  MAX_FETCHES: positive.default(4).describe('Downloads of a platform that a worker runs at once'),
  MAX_DELIVERIES: positive.default(100).describe('Webhooks that one worker sends at once'),
  MAX_FILE_BYTES: positive.default(8 * 1024 ** 3).describe('Largest file that a download may write'),
  MAX_VIDEO_HEIGHT: positive
    .default(1080)
    .describe('Tallest picture of a video, in pixels; of one that is upright, its width counts'),
  MAX_COMMENTS: positive.default(1000).describe('Most comments that a transcript brings along'),
  MAX_MEDIA_SECONDS: positive.default(12 * 3600).describe('Longest media that is accepted'),
  FETCH_TIMEOUT_SECONDS: positive
    .max(4 * 3600)
    .default(4 * 3600)
    .describe('Wall-clock limit of one download attempt'),
  ...speechSettings,
  STARTUP_WAIT_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .default(60)
    .describe('How long api and worker wait at their start for Temporal and MongoDB'),
  DRAIN_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('How long after SIGTERM the api still takes requests, with /ready at 503'),
  SHUTDOWN_GRACE_SECONDS: positive.default(10).describe('Time that running work gets after SIGTERM'),
  METRICS_HOST: z
    .union([z.ipv4(), z.ipv6()])
    .default('127.0.0.1')
    .describe('IP address that the ports for operators below listen on'),
  API_METRICS_PORT: port.optional().describe('Port of the metrics of the api; without it nothing is measured'),
  WORKER_METRICS_PORT: port
    .optional()
    .describe('Port of the health and the metrics of a worker; without it nothing is measured'),
  TEMPORAL_METRICS_PORT: port
    .min(1)
    .optional()
    .describe("Port of what Temporal's SDK measures in a worker; without it nothing is"),
  TRACES_URL: url
    .optional()
    .describe('Where spans are sent (OTLP over HTTP), such as http://127.0.0.1:4318/v1/traces; without it, nowhere'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least severe line logged'),
  LOG_FORMAT: z
    .enum(['auto', 'json', 'text'])
    .default('auto')
    .describe('Form of logged lines; `auto`: for people where standard output is a terminal, else JSON'),
  ...priceSettings,
});

type Settings = z.infer<typeof settings>;

type Derived =
  | 'WEBHOOK_SECRETS'
  | 'PAYLOAD_KEYS'
  | 'ALLOW_ANONYMOUS'
  | 'TRUSTED_PROXIES'
  | 'WEBHOOK_ALLOWED_NETWORKS'
  | 'MEDIA_ALLOWED_NETWORKS'
  | 'MEDIA_SITES';

/** What requests may name, as far as the configuration decides it. */
export interface Platforms {
  /** Pages of the video platform, with `{id}` of a video and `{path}` of a channel. */
  readonly vidnetVideoUrl: string;
  readonly vidnetChannelUrl: string;
  /** Base address of the photo platform's pages. */
  readonly imgnetUrl: string;
  /** Hosts of the video platform beside the real ones, with port. */
  readonly vidnetHosts: readonly string[];
  /** Hosts of the photo platform beside the real ones, with port. */
  readonly imgnetHosts: readonly string[];
  /** Whether the dataset API can be used: IMGNET_API_TOKEN is set. */
  readonly isImgnetConfigured: boolean;
  /** Whose pages are fetched. */
  readonly mediaSites: 'off' | 'all' | readonly string[];
  /** Networks exempt from the ban on private addresses of media. */
  readonly mediaAllowedNetworks: BlockList;
}

export interface Config extends Readonly<Omit<Settings, Derived>> {
  readonly PUBLIC_URL: string;
  readonly DRIVE_URL: string;
  /** Whether REST listens on loopback only. */
  readonly isLoopback: boolean;
  readonly allowsAnonymous: boolean;
  readonly trustedProxies: BlockList;
  readonly webhookAllowedNetworks: BlockList;
  /** Keys that sign webhooks; none: they are not signed. */
  readonly webhookKeys: readonly Uint8Array[];
  /** What encrypts and decrypts what stands in Temporal; undefined: all stands there in clear. */
  readonly payloadKeys: PayloadKeys | undefined;
  readonly mediaAllowedNetworks: BlockList;
  readonly prices: Prices;
  readonly platforms: Platforms;
  readonly files: FileStoreLocation;
  readonly workDir: string;
  readonly ytdlpDir: string;
  readonly speechDir: string;
  readonly speechWorkDir: string;
  readonly speechModelsDir: string;
}

function sitesOf(text: string): Platforms['mediaSites'] {
  return text === 'off' || text === 'all' ? text : entriesOf(text);
}

/**
 * Parses and validates the environment once.
 *
 * @param env usually `process.env`; empty strings count as absent
 * @throws {ConfigError} naming every wrong setting
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name in settings.shape && value !== ''),
  );
  const parsed = settings.safeParse(given);
  if (!parsed.success) throw configErrorOf(parsed.error);
  const {
    ALLOW_ANONYMOUS,
    TRUSTED_PROXIES,
    WEBHOOK_ALLOWED_NETWORKS,
    WEBHOOK_SECRETS,
    PAYLOAD_KEYS,
    MEDIA_ALLOWED_NETWORKS,
    MEDIA_SITES,
    ...rest
  } = parsed.data;
  if ((rest.TEMPORAL_TLS_CERT_FILE === undefined) !== (rest.TEMPORAL_TLS_KEY_FILE === undefined)) {
    throw new ConfigError('TEMPORAL_TLS_CERT_FILE: of no use without TEMPORAL_TLS_KEY_FILE, nor that without it');
  }
  const isLoopback = isLoopbackHost(rest.HOST);
  if (rest.PUBLIC_URL === undefined && ANY_ADDRESS.has(rest.HOST)) {
    throw new ConfigError('PUBLIC_URL: needed when HOST is every address, since links must lead to one');
  }
  const PUBLIC_URL = trimSlash(
    rest.PUBLIC_URL ?? `http://${rest.HOST.includes(':') ? `[${rest.HOST}]` : rest.HOST}:${String(rest.PORT)}`,
  );
  const DRIVE_URL = trimSlash(rest.DRIVE_URL ?? PUBLIC_URL);
  // An address that others use, or a proxy to trust, means that somebody hands requests on to our loopback.
  const isPrivate =
    isLoopback &&
    TRUSTED_PROXIES === '' &&
    [PUBLIC_URL, DRIVE_URL].every((one) => isLoopbackHost(new URL(one).hostname));
  const dataDir = resolve(rest.DATA_DIR);
  refuseSharedPorts(parsed.data);
  const mediaAllowedNetworks = parseNetworks('MEDIA_ALLOWED_NETWORKS', MEDIA_ALLOWED_NETWORKS);
  return Object.freeze({
    ...rest,
    DATA_DIR: dataDir,
    PUBLIC_URL,
    DRIVE_URL,
    IMGNET_API_URL: trimSlash(rest.IMGNET_API_URL),
    IMGNET_PLATFORM_URL: trimSlash(rest.IMGNET_PLATFORM_URL),
    isLoopback,
    allowsAnonymous: ALLOW_ANONYMOUS ?? isPrivate,
    trustedProxies: parseNetworks('TRUSTED_PROXIES', TRUSTED_PROXIES),
    webhookAllowedNetworks: parseNetworks('WEBHOOK_ALLOWED_NETWORKS', WEBHOOK_ALLOWED_NETWORKS),
    webhookKeys: parseSecrets(WEBHOOK_SECRETS),
    payloadKeys: codecKeysOf(rest, PAYLOAD_KEYS),
    mediaAllowedNetworks,
    prices: priceTable(rest),
    // A URL that is a template need not be a valid URL itself, as when its host holds the placeholder.
    platforms: {
      vidnetVideoUrl: rest.VIDNET_VIDEO_URL,
      vidnetChannelUrl: rest.VIDNET_CHANNEL_URL,
      imgnetUrl: trimSlash(rest.IMGNET_PLATFORM_URL),
      vidnetHosts: [rest.VIDNET_CHANNEL_URL, rest.VIDNET_VIDEO_URL]
        .filter((one) => URL.canParse(one))
        .map((one) => new URL(one).host),
      imgnetHosts: [new URL(rest.IMGNET_PLATFORM_URL).host],
      isImgnetConfigured: rest.IMGNET_API_TOKEN !== undefined,
      mediaSites: sitesOf(MEDIA_SITES),
      mediaAllowedNetworks,
    },
    files: named(() => fileStoreLocationOf(rest, { dataDir })),
    workDir: join(dataDir, 'work'),
    ytdlpDir: join(dataDir, 'yt-dlp'),
    speechDir: join(dataDir, 'speech'),
    speechWorkDir: join(dataDir, 'speech-work'),
    speechModelsDir: rest.SPEECH_MODELS_DIR === undefined ? join(dataDir, 'models') : resolve(rest.SPEECH_MODELS_DIR),
  });
}

function codecKeysOf(
  { CODEC_PORT, CODEC_TOKEN, METRICS_HOST }: Omit<Settings, Derived>,
  text: string,
): PayloadKeys | undefined {
  const keys = parsePayloadKeys(text);
  if (CODEC_PORT === undefined) return keys;
  if (keys === undefined) throw new ConfigError('CODEC_PORT: of no use without PAYLOAD_KEYS');
  if (CODEC_TOKEN === undefined && !isLoopbackHost(METRICS_HOST)) {
    throw new ConfigError('CODEC_TOKEN: needed with CODEC_PORT, since METRICS_HOST is not loopback');
  }
  return keys;
}

/** A worker and an api of one host, which often have the same settings, would end each other's start. */
function refuseSharedPorts(given: Settings): void {
  const names = [
    'PORT',
    'RPC_PORT',
    'CODEC_PORT',
    'API_METRICS_PORT',
    'WORKER_METRICS_PORT',
    'TEMPORAL_METRICS_PORT',
  ] as const;
  for (const name of names.slice(2)) {
    const other = names.find((one) => one !== name && given[one] === given[name] && given[name]);
    if (other !== undefined) throw new ConfigError(`${name}: the same port as ${other}`);
  }
}

function areSecrets(secrets: readonly string[]): boolean {
  return secrets.length > 0 && secrets.every(({ length }) => length >= 32);
}

/** A configuration in which the named settings are there. */
export type ConfigWith<Name extends keyof Config> = Config & { readonly [Key in Name]: NonNullable<Config[Key]> };

/** @throws {ConfigError} naming each of the settings that is not there */
export function requireSettings<Name extends keyof Config>(config: Config, names: readonly Name[]): ConfigWith<Name> {
  const missing = names.filter((name) => config[name] === undefined);
  if (missing.length > 0) throw new ConfigError(missing.map((name) => `${name}: needed here and not set`).join('\n'));
  return config as ConfigWith<Name>;
}

/** For main files: as above, but a wrong or missing setting ends the process with its name and no stack trace. */
export function loadConfigOrExit<Name extends keyof Config>(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly Name[],
): ConfigWith<Name> {
  try {
    return requireSettings(loadConfig(env), names);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`The configuration is not complete:\n${error.message}\n`);
    return process.exit(1);
  }
}

/** Runs a part of the parsing; what is wrong with a setting leaves it as an error that names the setting. */
function named<Result>(parse: () => Result, setting?: string): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof z.ZodError) throw configErrorOf(error);
    throw new ConfigError(`${setting ?? 'settings'}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function configErrorOf({ issues }: z.ZodError): ConfigError {
  return new ConfigError(issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
}
