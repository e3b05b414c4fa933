import { failureFor } from '../../../contract/failures.ts';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { ActivityProgress } from '../../../contract/job-input.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { MEDIA_RATE, watchRate, type TooSlow } from '../../../runtime/stall-detector.ts';
import { percentOf } from '../../../runtime/percent.ts';
import { folderBytes } from '../../../runtime/subprocess/folder-watch.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { type Subject, SUBJECT_VALUES } from './yt-dlp-failures.ts';
import { LONG_RUN_CPU_SECONDS, type Reading } from './page-reading.ts';
import { runYtdlp } from './run-yt-dlp.ts';
import {
  AUDIO_FORMATS,
  downloadArguments,
  FORMATS_PREFIX,
  INSPECT_ARGUMENTS,
  METADATA_PREFIX,
  PROGRESS_PREFIX,
  videoFormats,
} from './yt-dlp-arguments.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import { textSchema } from '../fact-schemas.ts';
import { broadcastFailure } from './yt-dlp-broadcast.ts';
import { videoUrl, type YtdlpSettings } from './yt-dlp-settings.ts';

const metadataSchema = z.object({
  title: textSchema,
  duration: z.number().positive().nullish(),
  live_status: z.string().nullish(),
  /** Of a page that holds several videos. */
  n_entries: z.number().nullish(),
});
type Metadata = z.infer<typeof metadataSchema>;

const formatsSchema = z
  .object({
    size: z.number().nullable().catch(null),
    parts: z.array(z.string()).catch([]),
    sizes: z.array(z.number()).catch([]),
    protocol: z.string().catch(''),
    url: z.string().optional().catch(undefined),
  })
  .transform(({ size, parts, sizes, protocol, url }) => ({
    /** Files that a whole download consists of. */
    files: Math.max(1, parts.length),
    /** Sum of the exact sizes that the platform states; 0 where it states none. */
    sizeBytes: size ?? sizes.reduce((sum, part) => sum + part, 0),
    isSizeOfAll: size !== null || (parts.length > 0 && sizes.length === parts.length),
    hlsUrl: protocol.startsWith('m3u8') ? url : undefined,
  }));
type Stated = z.infer<typeof formatsSchema>;
const NOTHING_STATED: Stated = { files: 1, sizeBytes: 0, isSizeOfAll: false, hlsUrl: undefined };

const progressLineSchema = z.object({
  status: z.string().nullish(),
  filename: z.string().nullish(),
  downloaded_bytes: z.number().nullish(),
  total_bytes: z.number().nullish(),
  total_bytes_estimate: z.number().nullish(),
});

export interface FetchedMedia {
  /** What the platform calls it. */
  readonly title?: string | undefined;
  /** Absolute paths of the files as the platform sent them. */
  readonly paths: readonly string[];
  /** Duration that the platform states, in seconds; undefined when it states none. */
  readonly statedDurationSeconds: number | undefined;
  /** Whether the platform stated the size of every file, and they are as big. */
  readonly isSizeVerified: boolean;
  /** Whether that is so, or each file is as long as the answer that brought it said: another download would bring the same. */
  readonly cameWhole: boolean;
}

export interface FetchOptions extends SourceCall {
  /** Longest media that is accepted, in seconds. */
  readonly maxMediaSeconds: number;
  readonly onProgress: (progress: ActivityProgress) => void;
}

/** What the service needs from the video platform, and of other sites. */
export interface VidnetSource {
  /** Downloads the audio of a video. @throws JobError with the code of the failure; the signal's reason when aborted */
  fetchAudio(mediaId: string, options: FetchOptions): Promise<FetchedMedia>;
  /** Downloads a video: one file, or pictures and sound apart. @throws as above */
  fetchVideo(mediaId: string, options: FetchOptions): Promise<FetchedMedia>;
  /**
   * Downloads the one video of a page of any site, or its sound.
   *
   * @param page its URL has been checked: http(s), and no fragment, from which yt-dlp takes orders
   * @throws as above; `unsupported` for a page that holds several videos, or none
   */
  fetchPage(page: PageRequest, options: FetchOptions): Promise<FetchedMedia>;
}

export interface PageRequest {
  readonly url: string;
  readonly format: 'audio' | 'video';
}

interface Download {
  readonly subject: Subject;
  readonly url: string;
  readonly formats: string;
}

/** The video platform, and other sites, read by yt-dlp: one process per download, which does extraction and transfer. */
export function createYtdlpSource(settings: YtdlpSettings): VidnetSource {
  const download = async ({ subject, url, formats }: Download, options: FetchOptions): Promise<FetchedMedia> => {
    const refusal = new AbortController();
    let metadata: Metadata | undefined;
    let stated = NOTHING_STATED;
    let stopWatching: (() => void) | undefined;
    /** Stated length of each file, by file name. */
    const lengths = new Map<string, number>();
    const onStdoutLine = (line: string, reading: Reading): void => {
      const parsedMetadata = metadataOf(line);
      if (parsedMetadata !== undefined) {
        metadata = parsedMetadata;
        const reason = refusalOf(metadata, options.maxMediaSeconds);
        if (reason !== undefined) refusal.abort(reason);
      } else if (line.startsWith(FORMATS_PREFIX)) {
        stated = formatsSchema.catch(NOTHING_STATED).parse(parseJson(line.slice(FORMATS_PREFIX.length)));
        // The transfer of media begins here.
        reading.end();
        stopWatching ??= watchRate(
          {
            rate: settings.leastRate ?? MEDIA_RATE,
            bytes: () => folderBytes(options.folder),
            seconds: metadata?.duration ?? undefined,
          },
          (how) => refusal.abort(tooSlow(how)),
        );
      } else if (line.startsWith(PROGRESS_PREFIX)) {
        const progress = progressLineSchema.catch({}).parse(parseJson(line.slice(PROGRESS_PREFIX.length)));
        // The last line of a file states the received bytes instead.
        if (progress.status === 'downloading')
          lengths.set(basename(progress.filename ?? ''), progress.total_bytes ?? NaN);
        options.onProgress(progressOf(progress));
      }
    };

    await runYtdlp(
      settings,
      { ...options, signal: AbortSignal.any([options.signal, refusal.signal]) },
      {
        subject,
        url,
        args: downloadArguments(settings, formats),
        maxFileBytes: settings.maxFileBytes,
        reading: { maxCpuSeconds: LONG_RUN_CPU_SECONDS },
        onStdoutLine,
      },
    )
      .finally(() => stopWatching?.())
      // A page does not state whether an embedded broadcast continues. Expired segments resemble an interrupted transfer.
      .finally(() => subject === 'page' && stated.hlsUrl !== undefined && refuseBroadcast(stated.hlsUrl, options));
    // yt-dlp leaves a broadcast out by itself, with exit code 0, and may end before our refusal reaches it.
    refusal.signal.throwIfAborted();
    if (metadata === undefined) throw new JobError('pageWithoutMedia');
    const paths = await wholeFiles(options.folder, stated);
    return {
      paths,
      title: metadata.title,
      statedDurationSeconds: metadata.duration ?? undefined,
      isSizeVerified: stated.isSizeOfAll,
      cameWhole: stated.isSizeOfAll || (await areOfLength(paths, lengths)),
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
        refusal ??= broadcastFailure(metadataOf(line)?.live_status);
      },
    }).catch((error: unknown) => {
      // The site may serve the playlist to its own page only. The downloaded files then decide.
      if (!(error instanceof JobError)) throw error;
    });
    if (refusal !== undefined) throw refusal;
  };
  const formats = { audio: AUDIO_FORMATS, video: videoFormats(settings.maxVideoHeight) };
  const ofVideo = (mediaId: string) => ({ subject: 'video' as const, url: videoUrl(settings, mediaId) });
  return {
    fetchAudio: (mediaId, options) => download({ ...ofVideo(mediaId), formats: formats.audio }, options),
    fetchVideo: (mediaId, options) => download({ ...ofVideo(mediaId), formats: formats.video }, options),
    fetchPage: ({ url, format }, options) => download({ subject: 'page', url, formats: formats[format] }, options),
  };
}

/** A transfer that is too slow as a whole would be so again, so `too_large` is final. */
function tooSlow(how: TooSlow): JobError {
  return how === 'stalled'
    ? new JobError(failureFor('upstreamStalled', SUBJECT_VALUES.video))
    : new JobError('mediaTooSlow');
}

/**
 * The files of a download, if they are whole. yt-dlp believes the transport: a body that ends early without an error
 * is no error to it, and half a file may still state the duration of the whole.
 */
async function wholeFiles(folder: string, stated: Stated): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('media.'));
  const paths = names.sort().map((name) => join(folder, name));
  // --max-filesize ends with exit code 0 and no file, or with only one of two.
  if (paths.length < stated.files) {
    throw new JobError('mediaTooLarge');
  }
  const received = (await Promise.all(paths.map((path) => stat(path)))).reduce((sum, { size }) => sum + size, 0);
  // yt-dlp does not state which file has which format, so only the sums are compared.
  if (received < stated.sizeBytes) throw new JobError('fileIncomplete');
  return paths;
}

async function areOfLength(paths: readonly string[], lengths: ReadonlyMap<string, number>): Promise<boolean> {
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  return paths.every((path, index) => sizes[index] === lengths.get(basename(path)));
}

function metadataOf(line: string): Metadata | undefined {
  if (!line.startsWith(METADATA_PREFIX)) return undefined;
  return metadataSchema.catch({}).parse(parseJson(line.slice(METADATA_PREFIX.length)));
}

function refusalOf(metadata: Metadata, maxMediaSeconds: number): JobError | undefined {
  const failure = broadcastFailure(metadata.live_status);
  if (failure !== undefined) return failure;
  if ((metadata.n_entries ?? 0) > 1) {
    return new JobError('pageWithManyVideos');
  }
  if ((metadata.duration ?? 0) > maxMediaSeconds) {
    return new JobError('videoTooLong');
  }
  return undefined;
}

function progressOf(line: z.infer<typeof progressLineSchema>): ActivityProgress {
  const bytes = line.downloaded_bytes ?? undefined;
  const totalBytes = line.total_bytes ?? line.total_bytes_estimate ?? undefined;
  return {
    stage: 'fetching',
    ...(bytes === undefined ? {} : { bytes: Math.round(bytes) }),
    ...(totalBytes === undefined ? {} : { totalBytes: Math.round(totalBytes) }),
    ...(bytes === undefined || totalBytes === undefined || totalBytes <= 0
      ? {}
      : { percent: percentOf(bytes / totalBytes) }),
  };
}
