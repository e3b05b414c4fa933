import { readdir, rename, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { failureFor } from '../../../contract/failures.ts';
import type { ActivityProgress } from '../../../contract/job-input.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { MEDIA_MINIMUM_RATE, detectStalls } from '../../../runtime/stall-detector.ts';
import { folderBytes } from '../../../runtime/subprocess/folder-watch.ts';
import type { SourceCall } from '../../source-call-options.ts';
import type { MediaPage } from '../../../contract/kinds/media.ts';
import type { MediaOptions } from '../../../contract/kinds/media-options.ts';
import { broadcastFailure, subjectError, ytdlpFailure, ytdlpRefusal, type Subject } from './yt-dlp-failures.ts';
import { LONG_RUN_CPU_SECONDS, type Reading, runYtdlp } from './run-yt-dlp.ts';
import {
  formatsSchema,
  metadataOf,
  NOTHING_STATED,
  progressLineSchema,
  progressOf,
  type Metadata,
  type Stated,
  CAPTIONS_NAME,
  COVER_NAME,
  DETAILS_PREFIX,
  detailsSchema,
  downloadArguments,
  FORMATS_PREFIX,
  INSPECT_ARGUMENTS,
  NEUTRAL_EXTENSION,
  PROGRESS_PREFIX,
  type MediaDetails,
} from './yt-dlp-arguments.ts';
import { recordingOf } from './ffmpeg-downloader.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import { videoUrl, type YtdlpSettings } from './yt-dlp-settings.ts';

export interface FetchedMedia {
  readonly title?: string | undefined;
  /** Absolute. The files are as the platform sent them. */
  readonly paths: readonly string[];
  readonly statedDurationSeconds: number | undefined;
  /**
   * Whether each file has its stated size or that of its HTTP response, or all its fragments: another download would be equal.
   * Undefined if nothing states the size of a file.
   */
  readonly cameWhole: boolean | undefined;
  /** What the page says; absent for a page without options. */
  readonly details?: MediaDetails | undefined;
  readonly coverPath?: string | undefined;
  readonly captionPaths?: readonly string[] | undefined;
}

export interface FetchOptions extends SourceCall {
  readonly maxMediaSeconds: number;
  readonly onProgress: (progress: ActivityProgress) => void;
}

/** The driver for media of the video platform and other sites. It throws JobError, or the signal's reason when aborted. */
export type VidnetSource = ReturnType<typeof createYtdlpSource>;

/** One run of yt-dlp per download does extraction and transfer. */
export function createYtdlpSource(settings: YtdlpSettings) {
  const rate = settings.minimumRate ?? MEDIA_MINIMUM_RATE;
  const download = async (subject: Subject, page: MediaPage, options: FetchOptions): Promise<FetchedMedia> => {
    const { url, format, options: chosen = {} } = page;
    const { section, live, wait_for_start: awaitsStart } = chosen;
    const recording = live && recordingOf(live, options.maxMediaSeconds);
    const isPart = section !== undefined || recording !== undefined;
    const endsAfterMs = recording?.endsAfterMs ?? 0;
    const refusal = new AbortController();
    let metadata: Metadata | undefined;
    let details: MediaDetails | undefined;
    let stated = NOTHING_STATED;
    let stopWatching: (() => void) | undefined;
    const lengths = new Map<string, number>();
    const onStdoutLine = (line: string, reading: Reading): void => {
      const parsedMetadata = metadataOf(line);
      if (parsedMetadata !== undefined) {
        metadata = parsedMetadata;
        const reason = refusalOf(metadata, options.maxMediaSeconds, chosen);
        if (reason !== undefined) refusal.abort(reason);
      } else if (line.startsWith(FORMATS_PREFIX)) {
        stated = formatsSchema.catch(NOTHING_STATED).parse(parseJson(line.slice(FORMATS_PREFIX.length)));
        if (format === 'video' && stated.shorterSide > settings.maxVideoHeight) {
          const sizes = { height: stated.shorterSide, maxHeight: settings.maxVideoHeight };
          refusal.abort(new JobError(failureFor('picturesTooTall', sizes)));
        }
        reading.end();
        stopWatching ??= detectStalls(
          {
            // A broadcast comes no faster than it is.
            rate: recording === undefined ? rate : { bytes: 1, windowMs: rate.windowMs },
            bytes: () => folderBytes(options.folder),
            seconds: isPart ? undefined : (metadata?.duration ?? undefined),
          },
          // A transfer that is too slow as a whole would be so again, so `too_large` is final.
          (how) =>
            refusal.abort(how === 'stalled' ? subjectError('upstreamStalled', 'video') : new JobError('mediaTooSlow')),
        );
      } else if (line.startsWith(DETAILS_PREFIX)) {
        details = detailsSchema.parse(parseJson(line.slice(DETAILS_PREFIX.length)));
      } else if (line.startsWith(PROGRESS_PREFIX)) {
        const progress = progressLineSchema.catch({}).parse(parseJson(line.slice(PROGRESS_PREFIX.length)));
        // The last line of a file states the received bytes instead.
        if (progress.status === 'downloading')
          lengths.set(basename(progress.filename ?? ''), progress.total_bytes ?? NaN);
        options.onProgress(progressOf(progress));
      }
    };

    const end = recording && setTimeout(() => refusal.abort(new JobError('recordingOver')), endsAfterMs);
    const warnings = await runYtdlp(
      settings,
      {
        ...options,
        signal: AbortSignal.any([options.signal, refusal.signal]),
        timeoutMs: options.timeoutMs + endsAfterMs,
      },
      {
        ...{ subject, url, args: downloadArguments(settings, page), usesFfmpeg: isPart, recording, onStdoutLine },
        maxFileBytes: settings.maxFileBytes,
        reading: { maxCpuSeconds: LONG_RUN_CPU_SECONDS },
      },
    )
      .catch(async (error: unknown) => {
        options.signal.throwIfAborted();
        // What has come is the recording, unless it is too large.
        const mayEnd = recording !== undefined && error instanceof JobError && error.code !== 'too_large';
        if (!mayEnd || !(await mediaFiles(options.folder)).some(({ size }) => size > 0)) throw error;
        return undefined;
      })
      .finally(() => {
        stopWatching?.();
        clearTimeout(end);
        // A page does not state whether an embedded broadcast continues. Expired segments resemble an interrupted transfer.
        const mayContinue = subject === 'page' && recording === undefined;
        return mayContinue && stated.hlsUrl !== undefined && refuseBroadcast(stated.hlsUrl, options);
      });
    // yt-dlp leaves a broadcast out by itself, with exit code 0, and may end before our refusal reaches it.
    if (warnings !== undefined) refusal.signal.throwIfAborted();
    if (metadata === undefined) throw new JobError('pageWithoutMedia');
    if (warnings !== undefined && stated === NOTHING_STATED && (awaitsStart === true || section !== undefined)) {
      // yt-dlp skips a section that it does not find.
      const isSkipped = section !== undefined && ytdlpRefusal(warnings, subject) === undefined;
      throw isSkipped ? new JobError('sectionOutside') : ytdlpFailure(warnings, subject);
    }
    const files = await wholeFiles(options.folder, isPart ? NOTHING_STATED : stated);
    return {
      paths: await Promise.all(files.map(({ path }) => withExtension(path, stated.ext))),
      title: metadata.title,
      statedDurationSeconds: lengthOf(metadata.duration ?? undefined, section && details),
      details,
      coverPath: details && (await pathsIn(options.folder, COVER_NAME))[0],
      captionPaths: details && (await pathsIn(options.folder, CAPTIONS_NAME)),
      cameWhole:
        recording !== undefined ||
        // ffmpeg reports a success even if the transfer of a section breaks off.
        (section === undefined ? stated.isSizeOfAll || stated.isFragmented || haveLengths(files, lengths) : undefined),
    };
  };
  /** @throws JobError `live` for a playlist that has no end yet */
  const refuseBroadcast = async (url: string, options: FetchOptions): Promise<void> => {
    let refusal: JobError | undefined;
    await runYtdlp(settings, options, {
      subject: 'page',
      url,
      args: INSPECT_ARGUMENTS,
      maxFileBytes: settings.maxFileBytes,
      onStdoutLine: (line) => {
        refusal ??= broadcastFailure(metadataOf(line) ?? {});
      },
    }).catch((error: unknown) => {
      // The site may serve the playlist to its own page only. The downloaded files then decide.
      if (!(error instanceof JobError)) throw error;
    });
    if (refusal !== undefined) throw refusal;
  };
  const fetchVideoAs = (format: 'audio' | 'video') => (mediaId: string, options: FetchOptions) =>
    download('video', { url: videoUrl(settings, mediaId), format }, options);
  return {
    fetchAudio: fetchVideoAs('audio'),
    fetchVideo: fetchVideoAs('video'),
    /** Downloads the video or audio of a page with one video. Its URL has no fragment, which could hold options for yt-dlp. */
    fetchPage: (page: MediaPage, options: FetchOptions): Promise<FetchedMedia> =>
      download('page', page, options).catch((error: unknown) => {
        const isChosen = page.options?.sound_language !== undefined || page.options?.container === 'webm';
        const isMissing = isChosen && error instanceof JobError && error.code === 'no_audio';
        throw isMissing ? new JobError('optionImpossible', { cause: error }) : error;
      }),
  };
}

async function mediaFiles(folder: string) {
  const paths = await pathsIn(folder, 'media.');
  return Promise.all(paths.map(async (path) => ({ path, size: (await stat(path)).size })));
}

/** Finds the files of a download and checks their sizes, because yt-dlp reports a body that ends early as a success. */
async function wholeFiles(folder: string, stated: Stated) {
  const files = await mediaFiles(folder);
  // --max-filesize ends with exit code 0 and no file, or with only one of two.
  if (files.length < stated.files) throw new JobError('mediaTooLarge');
  // yt-dlp does not state which file has which format, so only the sums are compared.
  if (files.reduce((sum, { size }) => sum + size, 0) < stated.sizeBytes) throw new JobError('fileIncomplete');
  return files;
}

async function pathsIn(folder: string, prefix: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix)).sort();
  return names.map((name) => join(folder, name));
}

function haveLengths(
  files: readonly { readonly path: string; readonly size: number }[],
  lengths: ReadonlyMap<string, number>,
): boolean | undefined {
  const missing = files.map(({ path, size }) => (lengths.get(basename(path)) ?? NaN) - size);
  if (missing.some((bytes) => bytes !== 0 && !Number.isNaN(bytes))) return false;
  return missing.every((bytes) => bytes === 0) || undefined;
}

async function withExtension(path: string, extension: string): Promise<string> {
  if (!path.endsWith(`.${NEUTRAL_EXTENSION}`)) return path;
  const named = path.slice(0, -NEUTRAL_EXTENSION.length) + extension;
  await rename(path, named);
  return named;
}

function refusalOf(metadata: Metadata, maxMediaSeconds: number, { section, live }: MediaOptions): JobError | undefined {
  if (live !== undefined && metadata.live_status === 'is_live') return undefined;
  const failure = broadcastFailure(metadata);
  if (failure !== undefined) return failure;
  if (live !== undefined) return new JobError('notLive');
  if ((metadata.n_entries ?? 0) > 1) return new JobError('pageWithManyVideos');
  const seconds = metadata.duration ?? 0;
  const { from = 0, to = seconds, chapter } = section ?? {};
  if (seconds > 0 && from >= seconds) return new JobError('sectionOutside');
  const length = chapter === undefined ? Math.min(to, seconds) - from : 0;
  return length > maxMediaSeconds ? new JobError('videoTooLong') : undefined;
}

/** @returns the length of a page's recording, or of a section of it, in seconds; undefined if the page does not state it */
function lengthOf(seconds: number | undefined, section: MediaDetails | undefined): number | undefined {
  if (seconds === undefined || section === undefined) return seconds;
  return Math.min(section.section_end ?? Infinity, seconds) - (section.section_start ?? 0);
}
