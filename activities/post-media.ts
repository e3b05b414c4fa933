import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobResult, PublishedFile } from '../contract/download-record.ts';
import { failureFor, type Failure } from '../contract/failures.ts';
import type { ContentFacts } from '../contract/kinds/imgnet-content.ts';
import type { Downloader } from '../outbound/download.ts';
import { optional } from '../runtime/optional.ts';
import { percentOf } from '../runtime/percent.ts';
import type { ContentsStore } from '../store/records/contents-store.ts';
import type { MakerDeps } from './make-file.ts';
import { fetchAndRead, hasExpired, mediaFailure } from './media-failures.ts';
import { withSourceCall, type RunningCall } from './source-call.ts';
import { withSpace } from './with-space.ts';

export interface PostMediaDeps extends MakerDeps {
  readonly contents: ContentsStore;
  readonly downloadMedia: Downloader;
  readonly maxFileBytes: number;
}

export interface PostMediaOrder {
  readonly recordId: string;
  readonly contentsId: string;
  readonly shortcode: string;
}

/** `stale`: the content no longer leads to the media and must be collected again. */
export type PostMedia =
  { readonly state: 'made'; readonly result: JobResult } | { readonly state: 'stale'; readonly failure: Failure };

interface PostWork<Made> {
  readonly urlsOf: (content: ContentFacts) => readonly string[] | undefined;
  /** Reads the file at a path, which is removed afterwards unless it is the result. */
  readonly make: (path: string, attempt: { readonly call: RunningCall; readonly cameWhole: boolean }) => Promise<Made>;
  readonly publish: (made: readonly (Made & { readonly number: number })[], call: RunningCall) => Promise<JobResult>;
}

/** Fetches media of a post one by one. A retry starts from an empty folder and replaces published files. */
export function fetchPostMedia<Made extends { readonly path: string }>(
  deps: PostMediaDeps,
  order: PostMediaOrder,
  { urlsOf, make, publish }: PostWork<Made>,
): Promise<PostMedia> {
  return withSourceCall(deps, order.recordId, (outer) =>
    withSpace(deps.space, outer, async (call) => {
      const content = await deps.contents.facts<ContentFacts>(order.contentsId);
      if (content === undefined) throw new Error(`the contents of record ${order.contentsId} are missing`);
      const urls = urlsOf(content);
      if (urls === undefined) return { state: 'stale', failure: failureFor('mediaAddressesMissing') };
      const made: (Made & { readonly number: number })[] = [];
      for (const [index, url] of urls.entries()) {
        const path = join(call.folder, `media-${String(index)}`);
        try {
          const one = await fetchAndRead(
            () => fetchOne(deps, call, { url, path, before: index, total: urls.length }),
            (_fetched, cameWhole) => make(path, { call, cameWhole }),
          );
          made.push({ ...one, number: index + 1 });
          if (one.path !== path) await rm(path);
        } catch (error) {
          if (hasExpired(error)) return { state: 'stale', failure: failureFor('mediaLinksExpired') };
          throw mediaFailure(error);
        }
      }
      return { state: 'made', result: await publish(made, call) };
    }),
  );
}

/**
 * @param before the number of media that were fetched already; `total`: of all
 * @throws DownloadError
 */
async function fetchOne(
  { downloadMedia, maxFileBytes }: PostMediaDeps,
  call: RunningCall,
  { url, path, before, total }: Readonly<Record<'url' | 'path', string> & Record<'before' | 'total', number>>,
): Promise<{ readonly sizes: readonly number[]; readonly cameWhole: true | undefined }> {
  call.report({ stage: 'fetching', percent: percentOf(before / total) });
  await rm(path, { force: true });
  const { sizeBytes, cameWhole } = await downloadMedia(url, {
    path,
    maxBytes: maxFileBytes,
    timeoutMs: call.timeoutMs,
    signal: call.signal,
    onProgress: (bytes, totalBytes) => {
      const percent = totalBytes && percentOf((before + bytes / totalBytes) / total);
      call.report({ stage: 'fetching', bytes, ...optional('totalBytes', totalBytes), ...optional('percent', percent) });
    },
  });
  return { sizes: [sizeBytes], cameWhole };
}

/** A file of a post, and its name in the store. */
export interface PostFile {
  readonly path: string;
  readonly name: string;
  readonly isSilence: boolean;
  readonly durationSeconds?: number;
}

/** The duration of the result is that of the first file with sound. */
export async function publishPost(
  { files }: PostMediaDeps,
  recordId: string,
  { made, call }: { readonly made: readonly PostFile[]; readonly call: RunningCall },
): Promise<JobResult> {
  call.report({ stage: 'publishing' });
  const published: PublishedFile[] = [];
  for (const { path, name, isSilence } of made) {
    call.signal.throwIfAborted();
    const file = await files.publish(path, { recordId, name }, call.signal);
    published.push(isSilence ? { ...file, isSilence } : file);
  }
  const spoken = made.find(({ isSilence }) => !isSilence);
  return { files: published, ...optional('durationSeconds', spoken?.durationSeconds) };
}
