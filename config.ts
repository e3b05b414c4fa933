import type { BlockList } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError, isOrigin, networks, trimSlash, webhookKeys } from './config-values.ts';
import { IMGNET_PLATFORM_URL } from './contract/urls/imgnet-urls.ts';
import { DEFAULT_WAIT_SECONDS, PREFER_WAIT_MAX_SECONDS } from './contract/request-limits.ts';
import { priceSettings, priceTable } from './contract/kinds/configured-prices.ts';
import { isLoopbackHost } from './outbound/addresses.ts';
import { routeSettings } from './pacing/route-settings.ts';
import {
  bool,
  count,
  list,
  optionalPort,
  optionalText,
  optionalToken,
  optionalUrl,
  port,
  positive,
  text,
  url,
} from './runtime/setting-types.ts';
import { workerRoles } from './runtime/temporal/worker-roles.ts';
import { BRIGHT_DATA_API_URL, BRIGHT_DATA_DATASETS } from './sources/imgnet/bright-data-requests.ts';
import { temporalSettings } from './runtime/temporal/temporal-settings.ts';
import { YTDLP_CHANNELS } from './sources/vidnet/releases/release-version.ts';
import { speechSettings } from './speech/speech-settings.ts';
import { fileSettings, fileStoreLocationOf } from './store/files/file-settings.ts';

const datasetId = text.regex(/^[\w-]{1,100}$/);
const ANY_ADDRESS = new Set(['0.0.0.0', '::']);

/** All settings of the service with their environment variable, description and default. docs/settings.md is generated from it. */
export const settings = z.object({
  HOST: text.default('127.0.0.1').describe('Address on which REST listens'),
  PORT: port.default(3000).describe('Port of REST, the files, the OpenAPI document and its page'),
  RPC_HOST: text.default('127.0.0.1').describe('Address on which tRPC listens'),
  RPC_PORT: port.default(3001).describe('Port of tRPC'),
  RPC_TOKEN: optionalToken.describe('Token of the callers of tRPC, at least 32 characters; npm start generates one'),
  ALLOW_ANONYMOUS: bool
    .optional()
    .describe(
      'Whether REST accepts callers without an API key; default: only if the service is reachable over loopback alone',
    ),
  TRUSTED_PROXIES: networks.describe(
    'Networks (CIDR, comma-separated) of reverse proxies whose client address headers are trusted',
  ),
  CORS_ORIGINS: list
    .default([])
    .refine((origins) => origins.every(isOrigin), 'origins such as https://app.example')
    .describe('Origins (comma-separated) whose pages may use the API'),
  PUBLIC_URL: optionalUrl.describe('Base address that callers use; default: http://HOST:PORT'),
  DRIVE_URL: optionalUrl.describe('Base address of signed file links; default: PUBLIC_URL'),
  DATA_DIR: text
    .default('./data')
    .describe('Folder of published files, work folders and the data of the embedded engines'),
  ...fileSettings,
  LINK_SECRET: list
    .refine(areSecrets, 'at least 32 characters each')
    .optional()
    .describe(
      'Keys of signed links (comma-separated, at least 32 characters each); the first one signs; the same for api and worker',
    ),
  LINK_TTL_SECONDS: positive.max(604_800).default(3600).describe('How long a signed link is valid'),
  DEFAULT_WAIT_SECONDS: positive
    .max(PREFER_WAIT_MAX_SECONDS)
    .default(DEFAULT_WAIT_SECONDS)
    .describe(
      'How long a request for a channel or a transcript waits without `Prefer`; must be less than the timeouts of proxies and clients',
    ),
  RATE_LIMIT_PER_MINUTE: positive.default(90).describe('Requests per minute and caller'),
  WEBHOOK_ALLOWED_NETWORKS: networks.describe(
    'Networks (CIDR, comma-separated) exempt from the ban on private webhook targets',
  ),
  WEBHOOK_SECRETS: webhookKeys.describe(
    'Secrets that sign webhooks (whsec_ and base64, comma-separated); the same for api and worker',
  ),
  ...temporalSettings,
  MONGODB_URI: text
    .regex(/^mongodb(\+srv)?:\/\//)
    .optional()
    .describe(
      'MongoDB server, with its TLS options (tls, tlsCAFile, tlsCertificateKeyFile); without it, npm start runs one',
    ),
  MONGODB_DATABASE: text
    .regex(/^[\w-]{1,60}$/)
    .default('tapedeck')
    .describe('Database name'),
  VIDNET_VIDEO_URL: text
    .regex(/^https?:\/\/.*\{id\}/, 'an http(s) URL with {id} in it')
    .default('https://www.youtube.com/watch?v={id}')
    .describe('URL of a video page; {id} is replaced'),
  VIDNET_CHANNEL_URL: text
    .regex(/^https?:\/\/.*\{path\}/, 'an http(s) URL with {path} in it')
    .default('https://www.youtube.com/{path}')
    .describe('URL of a channel page; {path} is replaced by @handle, channel/ID, c/NAME or user/NAME'),
  VIDNET_API_KEY: optionalText.describe(
    'Key of the Data API v3; without it, yt-dlp reads channels and comments, with fewer fields',
  ),
  VIDNET_API_URL: url.default('https://www.googleapis.com/').describe('Base address of the Data API v3'),
  SPONSORBLOCK_URL: url.default('https://sponsor.ajay.app/').describe('Base address of the API of SponsorBlock'),
  IMGNET_API_URL: url.default(BRIGHT_DATA_API_URL).describe('Base address of the dataset API'),
  IMGNET_API_TOKEN: optionalText.describe(
    'Token of the dataset API; without it, the kinds of the photo platform are unavailable',
  ),
  IMGNET_DATASET_PROFILES: datasetId.default(BRIGHT_DATA_DATASETS.profiles).describe('Dataset of profiles'),
  IMGNET_DATASET_POSTS: datasetId.default(BRIGHT_DATA_DATASETS.posts).describe('Dataset of posts'),
  IMGNET_DATASET_REELS: datasetId.default(BRIGHT_DATA_DATASETS.reels).describe('Dataset of reels'),
  IMGNET_PLATFORM_URL: url
    .default(IMGNET_PLATFORM_URL)
    .describe("Base address of the photo platform's pages in requests to the dataset API"),
  MEDIA_SITES: text
    .toLowerCase()
    .regex(/^[\w.-]+(?: *, *[\w.-]+)*$/, 'off, all, or names of hosts, separated by commas')
    .default('all')
    .transform((sites) => (sites === 'off' || sites === 'all' ? sites : list.parse(sites)))
    .describe('Sites from which media are fetched: off, all, or hosts (comma-separated), including their subdomains'),
  MEDIA_ALLOWED_NETWORKS: networks.describe(
    'Networks (CIDR, comma-separated) exempt from the ban on private addresses of media',
  ),
  YTDLP_PATH: text.default('yt-dlp').describe('Path of yt-dlp'),
  YTDLP_CHANNEL: z
    .enum(YTDLP_CHANNELS)
    .default('pinned')
    .describe('Releases of yt-dlp that workers install automatically: `pinned` (none), `stable`, or `nightly`'),
  YTDLP_INDEX_URL: url
    .default('https://pypi.org/simple')
    .describe('Index of Python packages from which yt-dlp is downloaded, with checksums (PEP 691)'),
  YTDLP_PLUGIN_DIR: optionalText.describe('Folder of yt-dlp extractor plugins; without it, none are loaded'),
  YTDLP_COOKIES_FILE: optionalText.describe('Cookies file for yt-dlp (Netscape format)'),
  YTDLP_PROXY: z
    .url()
    .optional()
    .describe('Proxy for yt-dlp; it must refuse private addresses itself. Default: the built-in proxy, which does'),
  YTDLP_EXTRACTOR_ARGS: optionalText.describe(
    'Extractor arguments for yt-dlp; those of several extractors are separated by spaces',
  ),
  YTDLP_JS_RUNTIME: optionalText.describe(
    'JavaScript runtime for yt-dlp, such as deno:/usr/bin/deno. Default: the Node that runs Tapedeck',
  ),
  FFMPEG_PATH: text.default('ffmpeg').describe('Path of ffmpeg'),
  FFPROBE_PATH: text.default('ffprobe').describe('Path of ffprobe'),
  ...routeSettings,
  WORKER_ROLES: list
    .default(workerRoles)
    .pipe(z.array(z.enum(workerRoles)).nonempty())
    .describe('Roles of a worker (comma-separated); together, the workers of a service must have all roles'),
  MAX_FETCHES: positive.default(4).describe('Concurrent downloads per worker and platform'),
  MAX_DELIVERIES: positive.default(100).describe('Concurrent webhook requests per worker'),
  MAX_FILE_BYTES: positive.default(8 * 1024 ** 3).describe('Maximum size of a downloaded file'),
  MAX_VIDEO_HEIGHT: positive
    .default(1080)
    .describe('Maximum height of a video in pixels; for a portrait video, its width'),
  MAX_COMMENTS: positive.default(1000).describe('Maximum number of comments in a transcript'),
  MAX_MEDIA_SECONDS: positive.default(12 * 3600).describe('Maximum duration of media'),
  FETCH_TIMEOUT_SECONDS: positive
    .max(4 * 3600)
    .default(4 * 3600)
    .describe('Wall-clock limit of one download attempt'),
  ...speechSettings,
  STARTUP_WAIT_SECONDS: count.default(60).describe('How long api and worker wait for Temporal and MongoDB at startup'),
  DRAIN_SECONDS: count
    .default(0)
    .describe('How long the api accepts requests after SIGTERM, while /ready responds with 503'),
  SHUTDOWN_GRACE_SECONDS: positive.default(10).describe('How long running work may take after SIGTERM'),
  METRICS_HOST: z.union([z.ipv4(), z.ipv6()]).default('127.0.0.1').describe('IP address of the operator ports below'),
  API_METRICS_PORT: optionalPort.describe('Port of the metrics of the api; without it, there are none'),
  WORKER_METRICS_PORT: optionalPort.describe('Port of the health and metrics of a worker; without it, there are none'),
  TEMPORAL_METRICS_PORT: port
    .min(1)
    .optional()
    .describe("Port of the metrics of Temporal's SDK in a worker; without it, there are none"),
  TRACES_URL: optionalUrl.describe(
    'URL to which spans are sent (OTLP over HTTP), such as http://127.0.0.1:4318/v1/traces; without it, none are recorded',
  ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Lowest severity that is logged'),
  LOG_FORMAT: z
    .enum(['auto', 'json', 'text'])
    .default('auto')
    .describe('Format of log lines; `auto`: text if standard output is a terminal, else JSON'),
  ...priceSettings,
});

type Settings = z.infer<typeof settings>;

/** The platforms and sites that requests may refer to. */
export interface Platforms {
  /** URL templates of the video platform, with `{id}` for a video and `{path}` for a channel. */
  readonly vidnetVideoUrl: string;
  readonly vidnetChannelUrl: string;
  /** Base address of the photo platform's pages. */
  readonly imgnetUrl: string;
  /** Further hosts of the video platform, with port. */
  readonly vidnetHosts: readonly string[];
  /** Further hosts of the photo platform, with port. */
  readonly imgnetHosts: readonly string[];
  /** Whether IMGNET_API_TOKEN is set, so that the dataset API can be used. */
  readonly isImgnetConfigured: boolean;
  /** The sites from which media are fetched. */
  readonly mediaSites: 'off' | 'all' | readonly string[];
  /** Networks exempt from the ban on private addresses of media. */
  readonly mediaAllowedNetworks: BlockList;
}

export type Config = ReturnType<typeof loadConfig>;

/**
 * Parses and validates the environment once.
 *
 * @param env usually `process.env`; an empty value counts as unset
 * @throws {ConfigError} that names all invalid settings
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>) {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name in settings.shape && value !== ''),
  );
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    const { issues } = parsed.error;
    throw new ConfigError(issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  }
  const { data } = parsed;
  if ((data.TEMPORAL_TLS_CERT_FILE === undefined) !== (data.TEMPORAL_TLS_KEY_FILE === undefined)) {
    throw new ConfigError('TEMPORAL_TLS_CERT_FILE: of no use without TEMPORAL_TLS_KEY_FILE, nor that without it');
  }
  checkCodec(data);
  refuseSharedPorts(data);
  /** Whether REST listens on loopback only. */
  const isLoopback = isLoopbackHost(data.HOST);
  if (data.PUBLIC_URL === undefined && ANY_ADDRESS.has(data.HOST)) {
    throw new ConfigError('PUBLIC_URL: needed when HOST is every address, since links must lead to one');
  }
  const PUBLIC_URL = trimSlash(
    data.PUBLIC_URL ?? `http://${data.HOST.includes(':') ? `[${data.HOST}]` : data.HOST}:${String(data.PORT)}`,
  );
  const DRIVE_URL = trimSlash(data.DRIVE_URL ?? PUBLIC_URL);
  // A public address or a trusted proxy means that a proxy forwards requests of others to the loopback address.
  const isPrivate =
    isLoopback &&
    data.TRUSTED_PROXIES.rules.length === 0 &&
    [PUBLIC_URL, DRIVE_URL].every((one) => isLoopbackHost(new URL(one).hostname));
  const dataDir = resolve(data.DATA_DIR);
  // A URL template need not be a valid URL itself, for example if its host contains the placeholder.
  const templates = [data.VIDNET_CHANNEL_URL, data.VIDNET_VIDEO_URL].filter((one) => URL.canParse(one));
  const platforms: Platforms = {
    vidnetVideoUrl: data.VIDNET_VIDEO_URL,
    vidnetChannelUrl: data.VIDNET_CHANNEL_URL,
    imgnetUrl: trimSlash(data.IMGNET_PLATFORM_URL),
    vidnetHosts: templates.map((one) => new URL(one).host),
    imgnetHosts: [new URL(data.IMGNET_PLATFORM_URL).host],
    isImgnetConfigured: data.IMGNET_API_TOKEN !== undefined,
    mediaSites: data.MEDIA_SITES,
    mediaAllowedNetworks: data.MEDIA_ALLOWED_NETWORKS,
  };
  return Object.freeze({
    ...data,
    DATA_DIR: dataDir,
    ...{ PUBLIC_URL, DRIVE_URL, isLoopback, platforms },
    IMGNET_API_URL: trimSlash(data.IMGNET_API_URL),
    IMGNET_PLATFORM_URL: platforms.imgnetUrl,
    allowsAnonymous: data.ALLOW_ANONYMOUS ?? isPrivate,
    prices: priceTable(data),
    files: fileStoreLocationOf(data, { dataDir }),
    workDir: join(dataDir, 'work'),
    ytdlpDir: join(dataDir, 'yt-dlp'),
    speechDir: join(dataDir, 'speech'),
    speechWorkDir: join(dataDir, 'speech-work'),
    speechModelsDir: data.SPEECH_MODELS_DIR === undefined ? join(dataDir, 'models') : resolve(data.SPEECH_MODELS_DIR),
  });
}

function checkCodec({ CODEC_PORT, CODEC_TOKEN, METRICS_HOST, PAYLOAD_KEYS }: Settings): void {
  if (CODEC_PORT === undefined) return;
  if (PAYLOAD_KEYS === undefined) throw new ConfigError('CODEC_PORT: of no use without PAYLOAD_KEYS');
  if (CODEC_TOKEN === undefined && !isLoopbackHost(METRICS_HOST)) {
    throw new ConfigError('CODEC_TOKEN: needed with CODEC_PORT, since METRICS_HOST is not loopback');
  }
}

/** Rejects equal ports, because api and worker often share their settings on one host, and the second to start would fail. */
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

/** A configuration in which the given settings are set. */
export type ConfigWith<Name extends keyof Config> = Config & { readonly [Key in Name]: NonNullable<Config[Key]> };

/** @throws {ConfigError} that names each missing setting */
export function requireSettings<Name extends keyof Config>(config: Config, names: readonly Name[]): ConfigWith<Name> {
  const missing = names.filter((name) => config[name] === undefined);
  if (missing.length > 0) throw new ConfigError(missing.map((name) => `${name}: needed here and not set`).join('\n'));
  return config as ConfigWith<Name>;
}

/** Loads the configuration for an entry point. An invalid or missing setting ends the process with its name and no stack trace. */
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
