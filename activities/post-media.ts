import { rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
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

/** A file that was made of one of the media. Its name in the store gets the ending of the path. */
export interface PostFile {
  readonly path: string;
  readonly durationSeconds?: number;
  readonly isSilence: boolean;
}

interface PostWork {
  readonly urlsOf: (content: ContentFacts) => readonly string[] | undefined;
  /** Reads the file at a path, which is removed afterwards. */
  readonly make: (
    path: string,
    attempt: { readonly call: RunningCall; readonly cameWhole: boolean },
  ) => Promise<PostFile>;
  /** @returns what is published of what was made */
  readonly complete?: (made: readonly PostFile[], call: RunningCall) => Promise<readonly PostFile[]>;
}

/** Fetches media of a post one by one, and publishes them. A retry starts from an empty folder and replaces published files. */
export function fetchPostMedia(
  deps: PostMediaDeps,
  { recordId, contentsId, shortcode }: PostMediaOrder,
  { urlsOf, make, complete }: PostWork,
): Promise<PostMedia> {
  return withSourceCall(deps, recordId, (outer) =>
    withSpace(deps.space, outer, async (call) => {
      const content = await deps.contents.facts<ContentFacts>(contentsId);
      if (content === undefined) throw new Error(`the contents of record ${contentsId} are missing`);
      const urls = urlsOf(content);
      if (urls === undefined) return { state: 'stale', failure: failureFor('mediaAddressesMissing') };
      const made: PostFile[] = [];
      for (const [index, url] of urls.entries()) {
        const path = join(call.folder, `media-${String(index)}`);
        try {
          const file = await fetchAndRead(
            () => fetchOne(deps, call, { url, path, before: index, total: urls.length }),
            (_fetched, cameWhole) => make(path, { call, cameWhole }),
          );
          made.push(file);
          await rm(path, { force: true });
        } catch (error) {
          if (hasExpired(error)) return { state: 'stale', failure: failureFor('mediaLinksExpired') };
          throw mediaFailure(error);
        }
      }
      const files = (await complete?.(made, call)) ?? made;
      call.report({ stage: 'publishing' });
      const published: PublishedFile[] = [];
      for (const [index, { path, isSilence }] of files.entries()) {
        call.signal.throwIfAborted();
        const name = `${shortcode}-${String(index + 1)}${extname(path)}`;
        const file = await deps.files.publish(path, { recordId, name }, call.signal);
        published.push(isSilence ? { ...file, isSilence } : file);
      }
      // The duration is that of the first file with sound.
      const spoken = files.find(({ isSilence }) => !isSilence);
      const result = { files: published, ...optional('durationSeconds', spoken?.durationSeconds) };
      return { state: 'made', result };
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
