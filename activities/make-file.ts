import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JobError } from '../runtime/job-error.ts';
import { optional } from '../runtime/optional.ts';
import { percentOf } from '../runtime/percent.ts';
import type { JobInput } from '../contract/job-input.ts';
import type { MediaPage } from '../contract/kinds/media.ts';
import type { JobResult } from '../contract/download-record.ts';
import { EXCESS_SECONDS, type RunLimits } from '../media/convert.ts';
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
  readonly extension: string;
  /** For pictures without sound. */
  readonly isSilence?: true;
  readonly downloadName?: string;
  readonly encoding?: 'copied' | 'converted';
}

interface Fetching {
  readonly format: Format | 'either';
  readonly fetch: (options: FetchOptions) => Promise<FetchedMedia>;
  /** Writes the file instead of the usual conversion. */
  readonly tailor?: ((call: RunningCall, media: FetchedMedia) => Promise<MadeFile>) | undefined;
  /** @returns the name of the file for people */
  readonly nameOf?: (title: string, ending: string) => string;
  /** @returns what is thrown for an error that occurred while the media were read */
  readonly asFailure?: (error: unknown) => unknown;
}

/** Players reject a file without a frame. */
export const LEAST_SECONDS = 0.1;

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
      const { maxMediaSeconds } = deps;
      const folder = join(attempt.folder, 'download');
      const download = async () => {
        attempt.report({ stage: 'fetching' });
        await rm(folder, { recursive: true, force: true });
        await mkdir(folder);
        const media = await fetch({ ...attempt, folder, maxMediaSeconds, onProgress: attempt.report });
        return { ...media, sizes: await Promise.all(media.paths.map(async (path) => (await stat(path)).size)) };
      };
      const { title, made } = await fetchAndRead(download, async (media, cameWhole) => {
        const format = wanted === 'either' ? await formatOf(deps, attempt, media) : wanted;
        const { title } = media;
        const mayCopy = cameWhole && format === 'audio' && tailor === undefined;
        const copied = mayCopy ? await copyM4a(deps, attempt, media) : undefined;
        if (copied !== undefined) return { title, made: copied };
        const paths = await Promise.all(media.paths.map((path) => deps.media.rewrap(path, attempt)));
        const fetched = { ...media, cameWhole, paths, format };
        return { title, made: await (tailor?.(attempt, fetched) ?? make(deps, attempt, fetched)) };
      }).catch((error: unknown) => {
        throw asFailure(error);
      });
      const { path, durationSeconds, extension, ...properties } = made;
      rejectTooLong(durationSeconds, maxMediaSeconds);
      attempt.report({ stage: 'publishing' });
      attempt.signal.throwIfAborted();
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
  { media }: MakerDeps,
  attempt: RunningCall,
  { paths: [source = ''], statedDurationSeconds: statedSeconds }: FetchedMedia,
): Promise<MadeFile | undefined> {
  if (!source.endsWith('.m4a')) return undefined;
  const made = { path: join(attempt.folder, 'output.m4a'), extension: 'm4a' };
  const copiedSeconds = await media.copyM4a(source, made.path, { signal: attempt.signal, statedSeconds });
  if (copiedSeconds !== undefined) return { ...made, durationSeconds: copiedSeconds };
  if (!(await media.isPlainM4a(source))) return undefined;
  attempt.report({ stage: 'converting' });
  const limits = { ...attempt, onProgress: conversionProgress(attempt, statedSeconds) };
  const durationSeconds = await media.writeM4a({ path: source, audioCodec: 'aac' }, made.path, limits);
  return { ...made, durationSeconds };
}

/**
 * Finds pictures and sound, which may be in separate files.
 *
 * @throws JobError `no_audio`, `no_video`, and `incomplete` for files that did not come whole and end too early
 */
export async function sourcesOf(
  { media }: MakerDeps,
  attempt: RunningCall,
  { paths, format, cameWhole, statedDurationSeconds, details }: FetchedMedia & { readonly format: Format },
) {
  attempt.report({ stage: 'converting' });
  const sources: MediaSource[] = [];
  for (const path of paths) sources.push({ path, probe: await media.probe(path, attempt.signal) });
  const having = (kind: Format) => sources.find(({ probe }) => codecOf(probe, kind) !== undefined);
  const [pictures, sound] = [format === 'video' ? having('video') : undefined, having('audio')];
  const main = format === 'video' ? pictures : sound;
  const isEmpty = details?.section_start !== undefined && sources.every(({ probe }) => probe.streams.length === 0);
  if (main === undefined) throw new JobError(isEmpty ? 'sectionOutside' : format === 'audio' ? 'noAudio' : 'noVideo');
  if (cameWhole !== true) {
    const expectedSeconds = statedDurationSeconds ?? main.probe.durationSeconds;
    for (const { path } of sources) await rejectCutOff(media, { path, expectedSeconds }, attempt);
  }
  return { pictures, sound, main };
}

async function make(
  deps: MakerDeps,
  attempt: RunningCall,
  fetched: FetchedMedia & { readonly format: Format },
): Promise<MadeFile> {
  const { pictures, sound, main } = await sourcesOf(deps, attempt, fetched);
  if (pictures !== undefined) {
    const { encoding, ...made } = await writeVerified(deps, attempt, { container: 'mp4', pictures, sound });
    return made;
  }
  const leadSeconds = leadOf(main.probe, fetched.statedDurationSeconds);
  return writeSound(deps, attempt, { source: main, leadSeconds, path: join(attempt.folder, 'output.m4a') });
}

/** Writes the sound of a file as M4A. */
export async function writeSound(
  { media }: MakerDeps,
  call: RunningCall,
  { source, leadSeconds, path }: { readonly source: MediaSource; readonly leadSeconds?: number; readonly path: string },
) {
  const { codec_name: audioCodec = '', index } = streamOf(source.probe, 'audio') ?? {};
  const limits = { ...call, onProgress: conversionProgress(call, source.probe.durationSeconds) };
  const sound = { path: source.path, audioCodec, index, ...optional('leadSeconds', leadSeconds) };
  return { path, extension: 'm4a', durationSeconds: await media.writeM4a(sound, path, limits) };
}

/**
 * Writes a file, and again without copying streams whose ends cannot be decoded or whose times contradict the header.
 *
 * @throws UnreadableMediaError if pictures or sound cannot be decoded, or the times of the pictures stay wrong
 */
export async function writeVerified({ media }: MakerDeps, attempt: RunningCall, file: OutputFile) {
  const { container: extension, pictures, sound } = file;
  const { signal } = attempt;
  const path = join(attempt.folder, `output.${extension}`);
  const seconds = (pictures ?? sound)?.probe.durationSeconds;
  const limits = { ...attempt, onProgress: conversionProgress(attempt, seconds) };
  let encoding = await media.write(file, path, limits);
  attempt.report({ stage: 'verifying' });
  let probe = await media.probe(path, signal);
  const isCopied = copiedKinds(file).pictures;
  const damaged = (await media.damagedKinds({ path, probe }, limits)).filter((kind) => kind !== 'subtitle');
  if (isCopied && (await haveWildTimes(media, { path, probe }, limits))) damaged.push('video');
  if (damaged.length > 0) {
    encoding = await media.write({ ...file, damaged }, path, limits);
    probe = await media.probe(path, signal);
  }
  // Behind the end of a recording whose page states no length, there is at most a frame.
  if (file.isSection === true && probe.durationSeconds < LEAST_SECONDS) throw new JobError('sectionOutside');
  const has = (kind: Format): boolean => codecOf(probe, kind) !== undefined;
  if (has('video') !== (pictures !== undefined) || has('audio') !== (sound !== undefined)) {
    throw new UnreadableMediaError('pictures or sound could not be decoded');
  }
  const isCheckedCopy = isCopied && damaged.length === 0;
  if (pictures !== undefined && !isCheckedCopy && (await haveWildTimes(media, { path, probe }, limits))) {
    throw new UnreadableMediaError('the times of the pictures contradict the header');
  }
  const { durationSeconds } = probe;
  return { path, extension, durationSeconds, encoding, ...(sound === undefined && { isSilence: true as const }) };
}

/** The end of a file is missing if its packets end before the page, or else its header, says. @throws JobError `incomplete` */
export async function rejectCutOff(
  media: Media,
  { path, expectedSeconds }: { readonly path: string; readonly expectedSeconds: number },
  limits: RunLimits,
): Promise<void> {
  const seconds = await media.measure(path, limits);
  if (seconds < expectedSeconds && isFarFrom(seconds, expectedSeconds)) throw new JobError('durationWrong');
}

/** @returns whether the pictures end later than the header states, or earlier in a file that has nothing else */
async function haveWildTimes(media: Media, { path, probe }: MediaSource, limits: RunLimits) {
  const { streams, durationSeconds } = probe;
  const areWild = (endSeconds: number) =>
    isFarFrom(endSeconds, durationSeconds) && (endSeconds > durationSeconds || streams.length === 1);
  // A run of ffmpeg costs as much as that which wrote the file, so it is saved if the index is right.
  const readSeconds = await media.readPicturesEnd(path);
  if (readSeconds !== undefined && !areWild(readSeconds)) return false;
  return areWild(await media.picturesEnd(path, limits));
}

function isFarFrom(seconds: number, expectedSeconds: number): boolean {
  return Math.abs(expectedSeconds - seconds) > Math.max(1, expectedSeconds / 100);
}

/**
 * Some containers count from an arbitrary time, others from the start of the recording, of which sound without its pictures
 * may come late. Only the latter end when the page says.
 */
function leadOf({ start_time: start, durationSeconds }: Probe, statedSeconds = 0): number {
  return start > 0 && start + durationSeconds < statedSeconds + 1 ? start : 0;
}

/** @returns a function that reports the progress of a conversion */
function conversionProgress(attempt: RunningCall, totalSeconds = 0) {
  return (seconds: number): void => {
    const percent = totalSeconds > 0 ? { percent: percentOf(seconds / totalSeconds) } : {};
    attempt.report({ stage: 'converting', ...percent });
  };
}

/** Media that are too long were cut a little beyond the limit. @throws JobError `too_long` */
export function rejectTooLong(durationSeconds: number, maxMediaSeconds: number): void {
  if (durationSeconds > maxMediaSeconds + EXCESS_SECONDS / 2) throw new JobError('videoTooLong');
}
