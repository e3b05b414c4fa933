import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { datedVersion, YTDLP_OLD_AFTER_DAYS } from '../runtime/subprocess/dated-version.ts';
import { chromiumFound, chromiumInstalled, chromiumVersion, givenChromium } from './engines/chromium.ts';
import {
  givenMediaProgram,
  mediaProgramFound,
  mediaProgramInstalled,
  mediaProgramVersion,
  settingOf,
  type MediaProgram,
} from './engines/ffmpeg.ts';
import { pingMongodb } from './engines/mongodb.ts';
import { mongodbVersion, mongodbWays } from './engines/mongodb-server.ts';
import { capture, type Env } from './engines/programs.ts';
import { ensureSpeechPython, speechFound, speechInstalled } from './engines/speech-python.ts';
import { temporalFound, temporalInstalled, temporalServerVersion, type Setup } from './engines/temporal-cli.ts';
import { s3ServerFound, s3ServerInstalled } from './engines/s3-server.ts';
import { timeSkippingFound, timeSkippingInstalled } from './engines/time-skipping.ts';
import { firstWay, NoWayError, type Way } from './engines/ways.ts';
import { givenYtdlp, ytdlpFound, ytdlpInstalled } from './engines/ytdlp.ts';

const REACH_TIMEOUT_MS = 3_000;

/** One line of the doctor's table. */
export interface Finding {
  readonly name: string;
  /** `ready`: works now. `will be set up`: the first start installs it. `missing`: needs a person. */
  readonly state: 'ready' | 'will be set up' | 'missing';
  readonly version: string;
  /** Path or address, and which way found it; or what will be done, or what a person can do. */
  readonly where: string;
  /** Whether the service runs without it. */
  readonly optional: boolean;
}

interface Subject<T> {
  readonly name: string;
  readonly optional?: boolean;
  /** A setting that names the thing itself; it alone counts then. */
  readonly given?: { readonly setting: string; readonly value: string; readonly check: () => Promise<T> } | undefined;
  readonly found: readonly Way<T>[];
  readonly installed: readonly Way<T>[];
  readonly show: (value: T) => Promise<{ version: string; where: string }>;
}

/** Looks at everything that the service needs, and installs nothing. */
export async function examine(options: { env: Env; cacheDir: string; dataDir: string }): Promise<Finding[]> {
  const { env } = options;
  const setup: Setup = { env, cacheDir: options.cacheDir, log: () => undefined };
  const mongodb = await mongodbWays(setup, join(resolve(options.dataDir), 'mongodb'));
  return Promise.all([
    Promise.resolve({
      name: 'Node',
      state: 'ready' as const,
      version: process.versions.node,
      where: process.execPath,
      optional: false,
    }),
    diagnose({
      name: 'Temporal',
      given: given(env, 'TEMPORAL_ADDRESS', async (address) => {
        await reachable(address);
        return '';
      }),
      found: temporalFound(setup),
      installed: temporalInstalled(setup),
      show: async (program) => ({
        version: program === '' ? '' : `server ${await temporalServerVersion(program, env)}`,
        where: program,
      }),
    }),
    diagnose({
      name: 'MongoDB',
      given: given(env, 'MONGODB_URI', async (uri) => {
        await pingMongodb(uri, REACH_TIMEOUT_MS);
        return undefined;
      }),
      found: mongodb.found,
      installed: mongodb.installed,
      show: async (server) =>
        server === undefined
          ? { version: '', where: '' }
          : { version: await mongodbVersion(server, env), where: server.program },
    }),
    diagnose({
      name: 'yt-dlp',
      given: given(env, 'YTDLP_PATH', (path) => givenYtdlp(path, env)),
      found: ytdlpFound(setup),
      installed: ytdlpInstalled(setup),
      show: async (program) => ({ version: withAge(await capture(program, ['--version'], env)), where: program }),
    }),
    mediaProgram('ffmpeg', setup),
    mediaProgram('ffprobe', setup),
    diagnose({
      name: 'speech',
      optional: true,
      given: given(env, 'SPEECH_PYTHON_PATH', () => ensureSpeechPython(setup).then(({ value }) => value)),
      found: speechFound(setup),
      installed: speechInstalled(setup),
      show: ({ python }) => Promise.resolve({ version: 'for speaker labels', where: python }),
    }),
    diagnose({
      name: 'Temporal test server',
      optional: true,
      found: timeSkippingFound(setup),
      installed: timeSkippingInstalled(setup),
      show: (server) =>
        Promise.resolve({
          version: 'for tests only',
          where: server.type === 'existing-path' ? server.path : server.downloadDir,
        }),
    }),
    diagnose({
      name: 'S3 server',
      optional: true,
      found: s3ServerFound(setup),
      installed: s3ServerInstalled(setup),
      show: (program) => Promise.resolve({ version: 'for tests only', where: program }),
    }),
    diagnose({
      name: 'Chromium',
      optional: true,
      given: given(env, 'CHROMIUM_PATH', (path) => givenChromium(path, env)),
      found: chromiumFound(setup),
      installed: chromiumInstalled(setup),
      show: async (program) => ({ version: `${await chromiumVersion(program, env)}, for tests only`, where: program }),
    }),
  ]);
}

function mediaProgram(name: MediaProgram, setup: Setup): Promise<Finding> {
  const { env } = setup;
  return diagnose({
    name,
    given: given(env, settingOf(name), (path) => givenMediaProgram(name, path, env)),
    found: mediaProgramFound(name, setup),
    installed: mediaProgramInstalled(name, setup),
    show: async (program) => ({ version: await mediaProgramVersion(program, env), where: program }),
  });
}

async function diagnose<T>(subject: Subject<T>): Promise<Finding> {
  const common = { name: subject.name, optional: subject.optional ?? false };
  const { given } = subject;
  if (given !== undefined) {
    try {
      const { version, where } = await subject.show(await given.check());
      return { ...common, state: 'ready', version, where: `${where === '' ? given.value : where} (${given.setting})` };
    } catch (error) {
      return { ...common, state: 'missing', version: '', where: `${given.setting}: ${message(error)}` };
    }
  }
  try {
    const { way, value } = await firstWay(subject.name, subject.found, () => undefined);
    const { version, where } = await subject.show(value);
    return { ...common, state: 'ready', version, where: `${where} (${way})` };
  } catch (error) {
    if (!(error instanceof NoWayError)) throw error;
  }
  const reasons: string[] = [];
  for (const way of subject.installed) {
    try {
      await way.possible?.();
      return { ...common, state: 'will be set up', version: '', where: `by the first start: ${way.name}` };
    } catch (error) {
      reasons.push(`${way.name}: ${message(error)}`);
    }
  }
  const hints = [...subject.found, ...subject.installed].flatMap((way) => (way.hint === undefined ? [] : [way.hint]));
  return {
    ...common,
    state: 'missing',
    version: '',
    where: `${reasons.join('; ')}. Any of these helps: ${hints.join('; ')}`,
  };
}

function given<T>(env: Env, setting: string, check: (value: string) => Promise<T>): Subject<T>['given'] {
  const value = env[setting];
  if (value === undefined || value === '') return undefined;
  return { setting, value: value.replace(/\/\/[^@/]*@/, '//'), check: () => check(value) };
}

function withAge(version: string): string {
  const { ageDays } = datedVersion(version, Date.now());
  if (ageDays === undefined) return version;
  const age = `${version}, ${String(ageDays)} days old`;
  return ageDays < YTDLP_OLD_AFTER_DAYS ? age : `${age}: platforms have changed since, update it`;
}

function reachable(address: string): Promise<void> {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
  return new Promise((resolve, reject) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port: Number(port), timeout: REACH_TIMEOUT_MS });
    const end = (error?: Error): void => {
      socket.destroy();
      if (error === undefined) resolve();
      else reject(error);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end(new Error(`${address} does not answer`)));
    socket.once('error', end);
  });
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
