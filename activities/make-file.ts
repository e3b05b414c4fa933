import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JobError } from '../runtime/job-error.ts';
import { optional } from '../runtime/optional.ts';
import { percentOf } from '../runtime/percent.ts';
import type { JobInput } from '../contract/job-input.ts';
import type { MediaPage } from '../contract/kinds/media.ts';
import type { JobResult } from '../contract/download-record.ts';
import { EXCESS_SECONDS } from '../media/convert.ts';
import type { Media } from '../media/ffmpeg.ts';
import { copiedKinds, type OutputFile } from '../media/output-file.ts';
import { UnreadableMediaError } from '../media/media-guard.ts';
import { codecOf, streamOf, type MediaSource, type Probe } from '../media/probe.ts';
import type { FetchedMedia, FetchOptions, VidnetSource } from '../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import type { FileStore } from '../store/files/file-store.ts';
import type { SpaceGuard } from '../store/files/free-space.ts';
import { fetchAndRead } from './media-failures.ts';
import { withSourceCall, type RunningCall, type SourceCallDeps } from './source-call.ts';
import { withSpace } from './with-space.ts';
import { titled } from './record-title.ts';

export interface MakerDeps extends SourceCallDeps {
  readonly files: FileStore;
  readonly space: SpaceGuard;
  readonly media: Media;
  readonly maxMediaSeconds: number;
}

export interface FetchDeps extends MakerDeps {
  readonly vidnet: VidnetSource;
}

export type FetchJob = Pick<JobInput, 'recordId' | 'mediaId'>;
type Format = MediaPage['format'];

export interface MadeFile {
  readonly path: string;
  readonly durationSeconds: number;
  /** For pictures without sound. */
  readonly isSilence?: true;
  /** Absent: that of the format. */
  readonly extension?: string;
  readonly downloadName?: string;
  readonly encoding?: 'copied' | 'converted';
}

interface Fetching {
  readonly format: Format | 'either';
  readonly fetch: (options: FetchOptions) => Promise<FetchedMedia>;
  /** Writes the file instead of the usual conversion. */
  readonly tailor?: (call: RunningCall, media: FetchedMedia) => Promise<MadeFile>;
  /** @returns the name of the file for people */
  readonly nameOf?: (title: string, ending: string) => string;
  /** @returns what is thrown for an error that occurred while the media were read */
  readonly asFailure?: (error: unknown) => unknown;
}

const LEAST_SECONDS = 0.1;
const EXTENSIONS = { audio: 'm4a', video: 'mp4' } as const;

/**
 * Fetches a file into a private folder, converts, verifies and publishes it. These steps are one activity because they
 * share files on this machine's disk. A retry starts from an empty folder and replaces the published file.
 */
export function fetchFile(
  deps: MakerDeps,
  { recordId, mediaId }: FetchJob,
  { format: wanted, fetch, tailor, nameOf, asFailure = (error) => error }: Fetching,
): Promise<JobResult> {
  return withSourceCall(deps, recordId, (call) =>
    withSpace(deps.space, call, async (attempt) => {
      const { maxMediaSeconds, fetchTimeoutMs: timeoutMs } = deps;
      const limits = { signal: attempt.signal, timeoutMs };
      const folder = join(attempt.folder, 'download');
      const download = async () => {
        attempt.report({ stage: 'fetching' });
        await rm(folder, { recursive: true, force: true });
        await mkdir(folder);
        const media = await fetch({ ...limits, folder, maxMediaSeconds, onProgress: attempt.report });
        return { ...media, sizes: await Promise.all(media.paths.map(sizeOf)) };
      };
      const { format, title, made } = await fetchAndRead(download, async (media, cameWhole) => {
        const format = wanted === 'either' ? await formatOf(deps, attempt, media) : wanted;
        const copied =
          cameWhole && format === 'audio' && tailor === undefined ? await copyM4a(deps, attempt, media) : undefined;
        if (copied !== undefined) return { format, title: media.title, made: copied };
        const paths = await Promise.all(media.paths.map((path) => deps.media.rewrap(path, limits)));
        const made: MadeFile =
          tailor === undefined
            ? await make(deps, attempt, { ...media, cameWhole, paths, format })
            : await tailor(attempt, { ...media, cameWhole, paths });
        return { format, title: media.title, made };
      }).catch((error: unknown) => {
        throw asFailure(error);
      });
      rejectTooLong(made.durationSeconds, maxMediaSeconds);
      attempt.report({ stage: 'publishing' });
      attempt.signal.throwIfAborted();
      const { path, durationSeconds, extension = EXTENSIONS[format], ...properties } = made;
      const name = `${mediaId}.${extension}`;
      const file = await deps.files.publish(path, { recordId, name }, attempt.signal);
      const known = titled(title);
      const downloadName = known.title === undefined ? undefined : nameOf?.(known.title, `.${extension}`);
      const published = { ...file, ...optional('downloadName', downloadName), ...properties };
      return { durationSeconds, files: [published], ...known };
    }),
  );
}

/** Video if there are pictures, otherwise audio. */
async function formatOf({ media }: MakerDeps, { signal }: RunningCall, { paths }: FetchedMedia): Promise<Format> {
  const probes = await Promise.all(paths.map((path) => media.probe(path, signal)));
  return probes.some((probe) => codecOf(probe, 'video') !== undefined) ? 'video' : 'audio';
}

/**
 * Copies an M4A with AAC, the most common source, without probing it first.
 *
 * @returns undefined for any other source, which must be probed
 */
async function copyM4a(
  { media, fetchTimeoutMs: timeoutMs }: MakerDeps,
  attempt: RunningCall,
  { paths: [source = ''], statedDurationSeconds }: FetchedMedia,
): Promise<MadeFile | undefined> {
  if (!source.endsWith('.m4a')) return undefined;
  const { signal } = attempt;
  const path = join(attempt.folder, `output.${EXTENSIONS.audio}`);
  const copiedSeconds = await media.copyM4a(source, path, { signal, statedSeconds: statedDurationSeconds });
  if (copiedSeconds !== undefined) return { path, durationSeconds: copiedSeconds };
  if (!(await media.isPlainM4a(source))) return undefined;
  attempt.report({ stage: 'converting' });
  const onProgress = conversionProgress(attempt, statedDurationSeconds ?? 0);
  const sound = { path: source, audioCodec: 'aac' };
  return { path, durationSeconds: await media.writeM4a(sound, path, { signal, timeoutMs, onProgress }) };
}

/**
 * Finds pictures and sound, which may be in separate files.
 *
 * @throws JobError `no_audio`, `no_video`, and `incomplete` for files that did not come whole and end too early
 */
export async function sourcesOf(
  { media, fetchTimeoutMs: timeoutMs }: Pick<MakerDeps, 'media' | 'fetchTimeoutMs'>,
  { signal, report }: RunningCall,
  { paths, format, cameWhole, statedDurationSeconds }: FetchedMedia & { readonly format: Format },
) {
  report({ stage: 'converting' });
  const sources: MediaSource[] = [];
  for (const path of paths) sources.push({ path, probe: await media.probe(path, signal) });
  const having = (kind: Format) => sources.find(({ probe }) => codecOf(probe, kind) !== undefined);
  const [pictures, sound] = [format === 'video' ? having('video') : undefined, having('audio')];
  const main = format === 'video' ? pictures : sound;
  if (main === undefined) {
    if (format === 'audio') throw new JobError('noAudio');
    throw new JobError('noVideo');
  }
  if (cameWhole !== true) {
    const expectedSeconds = statedDurationSeconds ?? main.probe.durationSeconds;
    for (const { path } of sources) await rejectCutOff(media, { path, expectedSeconds }, { signal, timeoutMs });
  }
  return { pictures, sound, main };
}

async function make(
  deps: MakerDeps,
  attempt: RunningCall,
  fetched: FetchedMedia & { readonly format: Format },
): Promise<MadeFile> {
  const { format, statedDurationSeconds } = fetched;
  const { pictures, sound, main } = await sourcesOf(deps, attempt, fetched);
  const path = join(attempt.folder, `output.${EXTENSIONS[format]}`);
  if (pictures !== undefined) {
    return (await writeVerified(deps, attempt, { file: { container: 'mp4', pictures, sound }, path })).made;
  }
  const { codec: audioCodec = '', index } = streamOf(main.probe, 'audio') ?? {};
  const leadSeconds = leadOf(main.probe, statedDurationSeconds);
  const durationSeconds = await deps.media.writeM4a({ path: main.path, audioCodec, index, leadSeconds }, path, {
    ...{ signal: attempt.signal, timeoutMs: deps.fetchTimeoutMs },
    onProgress: conversionProgress(attempt, main.probe.durationSeconds),
  });
  return { path, durationSeconds };
}

/** Writes a file, and again without copying streams whose ends cannot be decoded. */
export async function writeVerified(
  { media, fetchTimeoutMs: timeoutMs }: MakerDeps,
  attempt: RunningCall,
  { file, path, isSection = false }: { readonly file: OutputFile; readonly path: string; readonly isSection?: boolean },
) {
  const { pictures, sound } = file;
  const { signal } = attempt;
  const seconds = (pictures ?? sound)?.probe.durationSeconds ?? 0;
  const limits = { signal, timeoutMs, onProgress: conversionProgress(attempt, seconds) };
  let encoding = await media.write(file, path, limits);
  attempt.report({ stage: 'verifying' });
  let probe = await media.probe(path, signal);
  const damaged = (await media.damagedKinds({ path, probe }, limits)).filter((kind) => kind !== 'subtitle');
  if (copiedKinds(file).pictures && (await haveWildTimes(media, { path, probe }, limits))) damaged.push('video');
  if (damaged.length > 0) {
    encoding = await media.write({ ...file, damaged }, path, limits);
    probe = await media.probe(path, signal);
  }
  // Behind the end of a recording whose page states no length, there is at most a frame.
  if (isSection && probe.durationSeconds < LEAST_SECONDS) throw new JobError('sectionOutside');
  const has = (kind: Format): boolean => codecOf(probe, kind) !== undefined;
  if (has('video') !== (pictures !== undefined) || has('audio') !== (sound !== undefined)) {
    throw new UnreadableMediaError('pictures or sound could not be decoded');
  }
  const made = {
    path,
    durationSeconds: probe.durationSeconds,
    ...(sound === undefined && { isSilence: true as const }),
  };
  return { made, encoding };
}

/** The end of a file is missing if its packets end before the page, or else its header, says. @throws JobError `incomplete` */
export async function rejectCutOff(
  media: Media,
  { path, expectedSeconds }: { readonly path: string; readonly expectedSeconds: number },
  limits: Parameters<Media['measure']>[1],
): Promise<void> {
  const seconds = await media.measure(path, limits);
  if (seconds < expectedSeconds && isFarFrom(seconds, expectedSeconds)) throw new JobError('durationWrong');
}

/** @returns whether the pictures end later than the header states, or earlier in a file that has nothing else */
async function haveWildTimes(media: Media, file: MediaSource, limits: Parameters<Media['measure']>[1]) {
  const endSeconds = await media.picturesEnd(file.path, limits);
  const { streams, durationSeconds } = file.probe;
  return isFarFrom(endSeconds, durationSeconds) && (endSeconds > durationSeconds || streams.length === 1);
}

function isFarFrom(seconds: number, expectedSeconds: number): boolean {
  return Math.abs(expectedSeconds - seconds) > Math.max(1, expectedSeconds / 100);
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size;
}

/**
 * Some containers count from an arbitrary time, others from the start of the recording, of which sound without its pictures
 * may come late. Only the latter end when the page says.
 */
function leadOf({ startSeconds, durationSeconds }: Probe, statedSeconds = 0): number {
  return startSeconds > 0 && startSeconds + durationSeconds < statedSeconds + 1 ? startSeconds : 0;
}

/** @returns a function that reports the progress of a conversion */
export function conversionProgress(attempt: RunningCall, totalSeconds: number): (seconds: number) => void {
  return (seconds) => {
    const percent = totalSeconds > 0 ? { percent: percentOf(seconds / totalSeconds) } : {};
    attempt.report({ stage: 'converting', ...percent });
  };
}

/** Media that are too long were cut a little beyond the limit. @throws JobError `too_long` */
export function rejectTooLong(durationSeconds: number, maxMediaSeconds: number): void {
  if (durationSeconds > maxMediaSeconds + EXCESS_SECONDS / 2) throw new JobError('videoTooLong');
}
