import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { JobError } from '../../../runtime/job-error.ts';
import { optional } from '../../../runtime/optional.ts';
import { bareEnvironment } from '../../../runtime/subprocess/bare-environment.ts';
import { linkPrograms } from '../../../runtime/subprocess/linked-programs.ts';
import {
  FolderTooLargeError,
  run,
  RunStartError,
  RunTimeoutError,
  CpuTimeError,
} from '../../../runtime/subprocess/run-program.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { ffmpegDownloader, type Recording } from './ffmpeg-downloader.ts';
import { subjectError, ytdlpFailure, type Subject } from './yt-dlp-failures.ts';
import { mergeExtractorArgs, type ExtractorArgs } from './yt-dlp-extractor-args.ts';
import type { ReadingLimits, YtdlpSettings } from './yt-dlp-settings.ts';
import { startDeadline } from '../../../runtime/deadline.ts';

/** A page of the video platform takes seconds, most of them for its JavaScript. */
export const PAGE_LIMITS: ReadingLimits = { timeoutMs: 120_000, maxCpuSeconds: 60, maxBytes: 64 * 1024 ** 2 };
/** For media and long lists: gigabytes take minutes of processor time. */
export const LONG_RUN_CPU_SECONDS = 1_800;

const COUNT_EVERY_MS = 250;

export type Reading = ReturnType<typeof startReading>;

function startReading(subject: Subject, limits: ReadingLimits, receivedBytes: () => number) {
  let isReading = true;
  let fromBytes = 0;
  // A slow page of any site is final. The platform may only be busy, so its pages are retried.
  const late = (cause?: unknown): JobError =>
    subjectError(subject === 'page' ? 'pageTooSlow' : 'upstreamPageTooSlow', subject, cause);
  const deadline = startDeadline({ timeoutMs: limits.timeoutMs, late });
  const counter = setInterval(() => {
    if (receivedBytes() - fromBytes <= limits.maxBytes) return;
    deadline.abort(subjectError('pageTooLarge', subject));
  }, COUNT_EVERY_MS);
  return {
    /** Aborted at a limit, with a `JobError`. */
    signal: deadline.signal,
    /** Called when a part of a list has arrived: the limits begin again. */
    restart: (): void => {
      fromBytes = receivedBytes();
      deadline.restart();
    },
    end: (): void => {
      isReading = false;
      clearInterval(counter);
      deadline.end();
    },
    /** @returns the failure of the reading, if a limit of it caused the error */
    failureOf: (error: unknown): unknown => {
      if (error instanceof CpuTimeError) {
        return isReading
          ? subjectError('pageTooMuchWork', subject, error)
          : new JobError('fileTooMuchWork', { cause: error });
      }
      const isLate = error instanceof JobError && error.code === 'upstream_timeout';
      return isReading && isLate ? late(error.cause) : error;
    },
  };
}

export interface YtdlpRunSpec {
  readonly subject: Subject;
  /** Undefined when the arguments name a file that an earlier run wrote. */
  readonly url?: string;
  readonly args: readonly string[];
  readonly extractorArgs?: readonly ExtractorArgs[];
  /** The limit for each file, and for all files in the folder together. */
  readonly maxFileBytes: number;
  readonly reading?: Partial<ReadingLimits> | undefined;
  /** Whether yt-dlp may start ffmpeg, which then also goes through the proxy. */
  readonly usesFfmpeg?: boolean;
  /** Set for a running broadcast. */
  readonly recording?: Recording | undefined;
  /** @param reading must be ended by the callback when the transfer of media begins */
  readonly onStdoutLine?: ((line: string, reading: Reading) => void) | undefined;
}

/** Space for other files in the folder: fragments that are not joined yet, cookies and facts. */
const FOLDER_SLACK_BYTES = 64 * 1024 ** 2;
/** yt-dlp takes 60 MB, and 440 MB with 115 MB of facts and comments. The limit also holds for its JavaScript runtime. */
export const YTDLP_MEMORY_BYTES = 1024 ** 3;

/** The Python interpreter, which a script may name through `env`, and the JavaScript runtimes that yt-dlp supports. */
const NEEDED_PROGRAMS = ['python3', 'python', 'deno', 'node', 'bun', 'qjs'];

/** Every run of a job goes through this function. @returns the tail of stderr, which holds the warnings */
export async function runYtdlp(settings: YtdlpSettings, call: SourceCall, spec: YtdlpRunSpec): Promise<string> {
  const { subject, url, maxFileBytes } = spec;
  const { program } = (await settings.chooseProgram?.()) ?? settings;
  const guard = settings.proxy === undefined ? settings.guard?.lend() : undefined;
  const limits = { ...PAGE_LIMITS, ...spec.reading, ...settings.pageLimits };
  const reading = startReading(subject, limits, () => guard?.receivedBytes() ?? 0);
  let privateFolder: string | undefined;
  const privatePath = async (name: string) => join((privateFolder ??= await mkdtemp(join(call.folder, 'run-'))), name);
  try {
    const cookies = await copyCookies(settings.cookiesFile, call.folder);
    const proxy = settings.proxy ?? guard?.url;
    const ffmpeg =
      spec.usesFfmpeg === true ? await ffmpegDownloader(settings.ffmpeg ?? 'ffmpeg', spec.recording) : undefined;
    const proxyOption = ffmpeg === undefined || proxy === undefined ? '' : `--proxy '${proxy}'\n`;
    const secrets = privateOptions(settings, spec.extractorArgs) + proxyOption;
    const options = secrets === '' ? undefined : await privatePath('options');
    if (options !== undefined) await writeFile(options, secrets, { mode: 0o600 });
    const config = options === undefined ? [] : ['--config-locations', options];
    const args = [...config, ...baseArguments(settings, cookies), ...(ffmpeg ?? []), ...spec.args];
    const warm = await settings.starter?.startOf({ program, pluginDir: settings.pluginDir });
    const programs = warm?.programs ?? (await linkNeeded(program, await privatePath('programs')));
    const { exitCode, stderrTail } = await run(program, [...args, ...(url === undefined ? [] : ['--', url])], {
      cwd: call.folder,
      env: environmentOf({ program, proxy }, { home: call.folder, programs }),
      ...optional('start', warm?.start),
      signal: AbortSignal.any([call.signal, reading.signal]),
      timeoutMs: call.timeoutMs,
      maxFileBytes,
      maxFolderBytes: maxFileBytes + FOLDER_SLACK_BYTES,
      maxMemoryBytes: YTDLP_MEMORY_BYTES,
      maxCpuSeconds: limits.maxCpuSeconds,
      maxStdoutChars: 0,
      onStdoutLine: (line) => spec.onStdoutLine?.(line, reading),
    });
    if (exitCode !== 0) throw ytdlpFailure(stderrTail, subject);
    return stderrTail;
  } catch (error) {
    throw reading.failureOf(runFailure(error, subject));
  } finally {
    reading.end();
    guard?.end();
    if (privateFolder !== undefined) await rm(privateFolder, { recursive: true, force: true });
  }
}

/** @returns the failure of the job where the subprocess could not start or reached a limit, otherwise the error itself */
function runFailure(error: unknown, subject: Subject): unknown {
  if (error instanceof RunStartError) return new JobError('ytdlpNotStarted', { cause: error });
  if (error instanceof RunTimeoutError) return new JobError('fetchTooLong', { cause: error });
  return error instanceof FolderTooLargeError ? subjectError('upstreamDataTooLarge', subject, error) : error;
}

/** @param cookiesCopy yt-dlp writes its cookie file back, so each run gets a copy */
export function baseArguments(settings: YtdlpSettings, cookiesCopy: string | undefined): readonly string[] {
  return [
    // yt-dlp must not read the machine's own configuration, run other programs or write other files.
    ...['--ignore-config', '--no-plugin-dirs', '--no-exec', '--no-cache-dir', '--no-update', '--no-color'],
    // By default, yt-dlp retries a geo-blocked request with an invented X-Forwarded-For. This service does not evade blocks.
    ...['--xff', 'never'],
    ...(settings.pluginDir === undefined ? [] : ['--plugin-dirs', settings.pluginDir]),
    ...(cookiesCopy === undefined ? [] : ['--cookies', cookiesCopy]),
    ...(settings.jsRuntime === undefined ? [] : ['--js-runtimes', settings.jsRuntime]),
    // yt-dlp retries short faults. The workflow retries longer ones, where operators can see them.
    ...['--retries', '2', '--extractor-retries', '1', '--fragment-retries', '2', '--socket-timeout', '20'],
    '--abort-on-unavailable-fragments',
    // media/ffmpeg.ts repairs containers and joins video with audio in a hardened run, so yt-dlp must not find ffmpeg.
    ...['--fixup', 'never', '--ffmpeg-location', '/nonexistent'],
    // An external downloader would bypass the guard.
    ...['--downloader', 'native'],
    '--quiet',
  ];
}

/**
 * The text of a private configuration file. Every user of the machine can read command-line arguments, and the operator's
 * extractor arguments may hold tokens of an account. The quoting rules are those of a shell.
 */
function privateOptions(settings: YtdlpSettings, extractorArgs: readonly ExtractorArgs[] = []): string {
  return mergeExtractorArgs(settings.extractorArgs, extractorArgs)
    .map((value) => `--extractor-args '${value.replaceAll("'", `'"'"'`)}'\n`)
    .join('');
}

/**
 * The environment of a run. It holds the proxy, whose URL has a password, because every user of the machine can read arguments.
 * PATH leads only to programs that yt-dlp needs: for protocols such as RTMP, it starts any program that it finds, which would
 * bypass the guard.
 */
export function environmentOf(
  { program, proxy }: Pick<YtdlpSettings, 'program' | 'proxy'>,
  { home, programs }: { readonly home: string; readonly programs: string },
): Record<string, string> {
  const fixed = { ...bareEnvironment(program), PATH: programs, PYTHONDONTWRITEBYTECODE: '1' };
  return { ...fixed, HOME: home, TMPDIR: home, ...optional('all_proxy', proxy) };
}

/** @returns the folder, with links to the programs that yt-dlp needs */
export async function linkNeeded(program: string, folder: string): Promise<string> {
  const names = [...NEEDED_PROGRAMS, ...(isAbsolute(program) ? [] : [program])];
  await linkPrograms(folder, names, bareEnvironment(program)['PATH'] ?? '');
  return folder;
}

async function copyCookies(from: string | undefined, folder: string): Promise<string | undefined> {
  if (from === undefined) return undefined;
  const to = join(folder, 'cookies.txt');
  await copyFile(from, to).catch((error: unknown) => {
    throw new JobError('cookiesUnreadable', { cause: error });
  });
  return to;
}
