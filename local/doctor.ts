import { join } from 'node:path';
import { settings, type Config } from '../config.ts';
import type { WorkerRole } from '../runtime/temporal/worker-roles.ts';
import { readPythonProgram } from '../sources/vidnet/warm/python-program.ts';
import { createReleases } from '../sources/vidnet/releases/releases.ts';
import { createWarmYtdlp } from '../sources/vidnet/warm/warm-yt-dlp.ts';
import { ytdlpSettingsOf } from '../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { readYtdlpVersion } from '../sources/vidnet/yt-dlp/yt-dlp-version.ts';
import { chromium } from './engines/chromium.ts';
import type { Setup } from './engines/environment.ts';
import { mediaProgram } from './engines/ffmpeg.ts';
import { mongodbServer } from './engines/mongodb-server.ts';
import { pingMongodb } from './engines/ping-mongodb.ts';
import { checkListens } from './engines/ports.ts';
import { prometheus } from './engines/prometheus.ts';
import { s3Server } from './engines/s3-server.ts';
import { isComplete, sharedModelsDir, speechPython } from './engines/speech-setup.ts';
import { firstWorking, givenBy, NoStrategyError, type Tool } from './engines/strategies.ts';
import { temporalCli } from './engines/temporal-cli.ts';
import { timeSkippingServer } from './engines/time-skipping.ts';
import { withAge, ytdlp } from './engines/ytdlp.ts';

const REACH_TIMEOUT_MS = 3_000;

export interface Finding {
  readonly name: string;
  /** `will be set up`: the first start installs it. `missing`: a person must install it. */
  readonly state: 'ready' | 'will be set up' | 'missing';
  readonly version: string;
  /** The path or address with the strategy, or what the first start or a person will do. */
  readonly where: string;
  readonly optional: boolean;
}

export async function examine(options: Omit<Setup, 'log'> & { readonly config: Config }): Promise<Finding[]> {
  const setup: Setup = { ...options, log: () => undefined };
  const { config } = options;
  const { env } = setup;
  const does = (...roles: readonly WorkerRole[]): boolean => roles.some((role) => config.WORKER_ROLES.includes(role));
  const node = { name: 'Node', version: process.versions.node, where: process.execPath };
  const others = await Promise.all([
    engineFinding(temporalCli(setup), givenBy(env, 'TEMPORAL_ADDRESS', reach)),
    engineFinding(
      await mongodbServer(setup, join(config.DATA_DIR, 'mongodb')),
      givenBy(env, 'MONGODB_URI', (uri) => pingMongodb(uri, REACH_TIMEOUT_MS)),
    ),
    findingOf(withWarmth(ytdlp(setup), env), !does('vidnet', 'media')),
    ...(does('vidnet', 'media') ? releaseFindings(ytdlp(setup), config) : []),
    findingOf(mediaProgram('ffmpeg', setup), !does('vidnet', 'imgnet', 'media', 'speech')),
    findingOf(mediaProgram('ffprobe', setup), !does('vidnet', 'imgnet', 'media', 'speech')),
    speechFinding(setup, config),
    findingOf(timeSkippingServer(setup), true),
    findingOf(s3Server(setup), true),
    findingOf(chromium(setup), true),
    findingOf(prometheus(setup), true),
  ]);
  return [{ ...node, state: 'ready', optional: false }, ...others];
}

/** An engine with an address needs no program here. */
function engineFinding<T>(tool: Tool<T>, given: Tool<void>['given']): Promise<Finding> {
  if (given === undefined) return findingOf(tool);
  const { name } = tool;
  const describe = () => Promise.resolve({ version: '', where: given.value });
  return findingOf({ name, given, found: [], installed: [], describe });
}

async function findingOf<T>(tool: Tool<T>, optional = false): Promise<Finding> {
  const { name, given, found, installed } = tool;
  const ready = async (value: T, by: string): Promise<Finding> => {
    const { version, where } = await tool.describe(value);
    return { name, optional, state: 'ready', version, where: `${where} (${by})` };
  };
  const missing = (where: string): Finding => ({ name, optional, state: 'missing', version: '', where });
  if (given !== undefined) {
    return given.check().then(
      (value) => ready(value, given.setting),
      (error: unknown) => missing(`${given.setting}: ${message(error)}`),
    );
  }
  try {
    const { by, value } = await firstWorking(name, found, () => undefined);
    return await ready(value, by);
  } catch (error) {
    if (!(error instanceof NoStrategyError)) throw error;
  }
  const reasons: string[] = [];
  for (const strategy of installed) {
    try {
      await strategy.possible?.();
      const where = `by the first start: ${strategy.name}`;
      return { name, optional, state: 'will be set up', version: '', where };
    } catch (error) {
      reasons.push(`${strategy.name}: ${message(error)}`);
    }
  }
  const hints = [...found, ...installed].flatMap(({ hint }) => hint ?? []);
  return missing(`${reasons.join('; ')}. Any of these helps: ${hints.join('; ')}`);
}

async function speechFinding(setup: Setup, config: Config): Promise<Finding> {
  const common = { name: 'speech', version: 'for speaker labels', optional: true };
  for (const speechModelsDir of [config.speechModelsDir, sharedModelsDir(setup)]) {
    if (!(await isComplete({ ...config, speechModelsDir }))) continue;
    return { ...common, state: 'ready', where: `${speechModelsDir} (npm run models)` };
  }
  const python = await findingOf(speechPython(setup), true);
  if (python.state === 'missing') return python;
  return { ...common, state: 'will be set up', version: '', where: `${python.where}; models by the first start` };
}

function withWarmth(tool: Tool, env: Setup['env']): Tool {
  return {
    ...tool,
    describe: async (program) => {
      const { version, where } = await tool.describe(program);
      const pluginDir = env['YTDLP_PLUGIN_DIR'] || undefined;
      const warm = createWarmYtdlp({ ...ytdlpSettingsOf(settings.parse({})), program, pluginDir });
      const how = await warm.ready().then(
        () => 'kept warm',
        (error: unknown) => `started anew for each call: ${message(error)}`,
      );
      await warm.close();
      return { version, where: `${where}, ${how}` };
    },
  };
}

function releaseFindings(tool: Tool, config: Config): readonly Promise<Finding>[] {
  const { YTDLP_CHANNEL: channel, YTDLP_INDEX_URL: indexUrl, ytdlpDir: folder } = config;
  if (channel === 'pinned') return [];
  const name = `yt-dlp ${channel}`;
  const found = async (): Promise<Finding> => {
    const program = await (tool.given?.check() ??
      firstWorking(tool.name, tool.found, () => undefined).then(({ value }) => value));
    await readPythonProgram(program);
    const { version: pinnedVersion } = await readYtdlpVersion(program);
    const releases = createReleases({
      ...{ channel, folder, indexUrl, settings: { ...ytdlpSettingsOf(config), program }, pinnedVersion },
      ...{ onEvent: () => undefined, signal: AbortSignal.timeout(REACH_TIMEOUT_MS) },
    });
    const { refused } = await releases.read();
    const { version: current } = await releases.choose();
    const notes = [
      current === pinnedVersion ? `none newer than ${current} is used` : folder,
      ...(refused.length === 0 ? [] : [`refused: ${refused.join(', ')} (npm run yt-dlp)`]),
    ];
    const version = withAge(current);
    return { name, optional: true, state: 'ready', version, where: notes.join('; ') };
  };
  return [
    found().catch((error: unknown) => ({ name, optional: true, state: 'missing', version: '', where: message(error) })),
  ];
}

function reach(address: string): Promise<void> {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
  return checkListens({ host: host.replace(/^\[|\]$/g, ''), port: Number(port) }, REACH_TIMEOUT_MS);
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
