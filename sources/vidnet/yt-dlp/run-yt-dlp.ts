import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { JobError } from '../../../runtime/job-error.ts';
import { bareEnvironment } from '../../../runtime/subprocess/bare-environment.ts';
import { linkPrograms } from '../../../runtime/subprocess/linked-programs.ts';
import {
  FolderTooLargeError,
  run,
  RunStartError,
  RunTimeoutError,
  type RunOptions,
} from '../../../runtime/subprocess/run-program.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { ytdlpFailure, type Subject } from './yt-dlp-failures.ts';
import { PAGE_LIMITS, startReading, type Reading, type ReadingLimits } from './page-reading.ts';
import { runCompared } from '../releases/compare-releases.ts';
import { mergeExtractorArgs, type ExtractorArgs } from './yt-dlp-extractor-args.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';

export interface YtdlpRun {
  /** What the caller asked for; sentences about failures speak of it. */
  readonly subject: Subject;
  /** The page; undefined when the arguments name a file that an earlier run left. */
  readonly url?: string;
  /** Arguments of this run, beside those that every run has. */
  readonly args: readonly string[];
  readonly extractorArgs?: readonly ExtractorArgs[];
  /** Largest file that the run may write, and most that all files in its folder may hold. */
  readonly maxFileBytes: number;
  /** Where they differ from those of a page. */
  readonly reading?: Partial<ReadingLimits> | undefined;
  /** @param reading is ended by a run whose media begin to come */
  readonly onStdoutLine?: ((line: string, reading: Reading) => void) | undefined;
}

/** What lies there beside the media: a fragment that is not joined yet, cookies, facts. */
const FOLDER_SLACK_BYTES = 64 * 1024 ** 2;
/**
 * It takes 60 MB, with 115 MB of facts and comments 440 MB. A page without an end would take all there is. The JavaScript runtime
 * that it starts for some platforms is bound by the same.
 */
export const YTDLP_MEMORY_BYTES = 1024 ** 3;

/** Its interpreter, where it names it by `env`, and the JavaScript runtimes that it knows. */
const NEEDED_PROGRAMS = ['python3', 'python', 'deno', 'node', 'bun', 'qjs'];

/**
 * Runs yt-dlp to its end in the call's folder: the one place that runs it.
 *
 * @returns the tail of stderr, which holds the warnings
 * @throws JobError with the code of the failure; the signal's reason when aborted
 */
export async function runYtdlp(settings: YtdlpSettings, call: SourceCall, what: YtdlpRun): Promise<string> {
  const isPage = what.url !== undefined;
  const picked = await settings.releases?.pick({ isPage });
  if (picked === undefined) return runOnce(settings, call, what);
  return runCompared(picked, call, {
    isPage,
    run: (release, during) => runOnce({ ...settings, ...release }, during, what),
    look: (release, during) =>
      runOnce({ ...settings, ...release }, during, {
        ...what,
        args: [...what.args, '--simulate'],
        onStdoutLine: undefined,
      }),
  });
}

async function runOnce(settings: YtdlpSettings, call: SourceCall, what: YtdlpRun): Promise<string> {
  const loan = settings.proxy === undefined ? settings.guard?.lend() : undefined;
  const limits = { ...PAGE_LIMITS, ...what.reading, ...settings.pageLimits };
  const reading = startReading(what.subject, limits, () => loan?.receivedBytes() ?? 0);
  try {
    const through = { ...settings, proxy: settings.proxy ?? loan?.url };
    const during = { ...call, signal: AbortSignal.any([call.signal, reading.signal]) };
    return await runThrough(through, during, {
      ...what,
      maxCpuSeconds: limits.maxCpuSeconds,
      onStdoutLine: (line) => what.onStdoutLine?.(line, reading),
    });
  } catch (error) {
    throw reading.failureOf(error);
  } finally {
    reading.end();
    loan?.end();
  }
}

type LimitedRun = Omit<YtdlpRun, 'reading' | 'onStdoutLine'> &
  Required<Pick<RunOptions, 'maxCpuSeconds' | 'onStdoutLine'>>;

async function runThrough(settings: YtdlpSettings, call: SourceCall, what: LimitedRun): Promise<string> {
  const cookies = await copyCookies(settings.cookiesFile, call.folder);
  // For this run only, and private.
  const own = await mkdtemp(join(call.folder, 'run-'));
  const options = join(own, 'options');
  await writeFile(options, privateOptions(settings, what.extractorArgs), { mode: 0o600 });
  const args = ['--config-locations', options, ...baseArguments(settings, cookies), ...what.args];
  const env = await environmentOf(settings, { home: call.folder, programs: join(own, 'programs') });
  const start = await settings.starter?.startOf(settings);
  const result = await run(settings.program, [...args, ...(what.url === undefined ? [] : ['--', what.url])], {
    cwd: call.folder,
    env,
    ...(start === undefined ? {} : { start }),
    signal: call.signal,
    timeoutMs: call.timeoutMs,
    maxFileBytes: what.maxFileBytes,
    maxFolderBytes: what.maxFileBytes + FOLDER_SLACK_BYTES,
    maxMemoryBytes: YTDLP_MEMORY_BYTES,
    maxCpuSeconds: what.maxCpuSeconds,
    maxStdoutChars: 0,
    onStdoutLine: what.onStdoutLine,
  })
    .catch((error: unknown) => {
      if (error instanceof RunStartError) {
        throw new JobError('tool_missing', 'yt-dlp cannot be started; the operator must check YTDLP_PATH.', {
          cause: error,
        });
      }
      if (error instanceof RunTimeoutError) {
        throw new JobError('too_large', 'Fetching it takes longer than this service allows.', { cause: error });
      }
      if (error instanceof FolderTooLargeError) {
        throw new JobError('too_large', 'What the video platform sends is larger than this service accepts.', {
          cause: error,
        });
      }
      throw error;
    })
    .finally(() => rm(own, { recursive: true, force: true }));
  if (result.exitCode !== 0) throw ytdlpFailure(result.stderrTail, what.subject);
  return result.stderrTail;
}

/** @param cookiesCopy yt-dlp writes its cookie file back, so each run gets a copy */
export function baseArguments(settings: YtdlpSettings, cookiesCopy: string | undefined): readonly string[] {
  return [
    // Nothing from the machine's own configuration, and nothing that runs or writes anything else.
    ...['--ignore-config', '--no-plugin-dirs', '--no-exec', '--no-cache-dir', '--no-update', '--no-color'],
    // On a geo-block yt-dlp would ask again with an invented X-Forwarded-For: we do not evade.
    ...['--xff', 'never'],
    ...(settings.pluginDir === undefined ? [] : ['--plugin-dirs', settings.pluginDir]),
    ...(cookiesCopy === undefined ? [] : ['--cookies', cookiesCopy]),
    ...(settings.jsRuntime === undefined ? [] : ['--js-runtimes', settings.jsRuntime]),
    // Short passing faults are mended here; longer ones by the workflow, where operators see them.
    ...['--retries', '2', '--extractor-retries', '1', '--fragment-retries', '2', '--socket-timeout', '20'],
    // Containers are mended, and pictures and sound joined, by our own hardened ffmpeg run: yt-dlp must find none.
    ...['--fixup', 'never', '--ffmpeg-location', '/nonexistent'],
    // Nor any other program that downloads: it would not pass the guard.
    ...['--downloader', 'native'],
    '--quiet',
  ];
}

/**
 * What stands in a file that only we can read, and not among the arguments, which everyone on this machine can: the operator's
 * extractor arguments may hold tokens of an account.
 *
 * @returns the text of a configuration file of yt-dlp, which takes it apart as a shell does
 */
export function privateOptions(settings: YtdlpSettings, extractorArgs: readonly ExtractorArgs[] = []): string {
  return mergeExtractorArgs(settings.extractorArgs, extractorArgs)
    .map((value) => `--extractor-args '${value.replaceAll("'", `'"'"'`)}'\n`)
    .join('');
}

/**
 * The proxy stands here and not among the arguments for the same reason: its URL holds a password.
 *
 * PATH leads to what yt-dlp needs and to nothing else. For RTMP and the like it starts the programs that it finds, and those
 * know no guard.
 */
export async function environmentOf(
  { program, proxy }: Pick<YtdlpSettings, 'program' | 'proxy'>,
  { home, programs }: { readonly home: string; readonly programs: string },
): Promise<Record<string, string>> {
  const { PATH = '', ...rest } = bareEnvironment(program);
  await linkPrograms(programs, [...NEEDED_PROGRAMS, ...(isAbsolute(program) ? [] : [program])], PATH);
  return {
    ...{ ...rest, PATH: programs, HOME: home, TMPDIR: home, PYTHONDONTWRITEBYTECODE: '1' },
    ...(proxy === undefined ? {} : { all_proxy: proxy }),
  };
}

async function copyCookies(from: string | undefined, folder: string): Promise<string | undefined> {
  if (from === undefined) return undefined;
  const to = join(folder, 'cookies.txt');
  await copyFile(from, to).catch((error: unknown) => {
    throw new JobError('tool_missing', 'The cookie file cannot be read; the operator must check YTDLP_COOKIES_FILE.', {
      cause: error,
    });
  });
  return to;
}
