import { open } from 'node:fs/promises';
import { UnreadableMediaError } from '../media/media-guard.ts';
import { streamOf } from '../media/probe.ts';
import { JobError } from '../runtime/job-error.ts';
import { rejectCutOff, rejectTooLong } from './make-file.ts';
import {
  fetchPostMedia,
  publishPost,
  type PostFile,
  type PostMedia,
  type PostMediaDeps,
  type PostMediaOrder,
} from './post-media.ts';
import type { RunningCall } from './source-call.ts';
import { slideUrlsOf } from './video-urls.ts';

const HEAD_BYTES = 12;
/** The first bytes of each format, as Latin-1. Brands are those of ISO base media files (ISO/IEC 23008-12 for pictures). */
const SIGNATURES = {
  jpg: /^\xff\xd8\xff/,
  png: /^\x89PNG\r\n\x1a\n/,
  webp: /^RIFF[^]{4}WEBP/,
  avif: /^[^]{4}ftypavi[fs]/,
  heic: /^[^]{4}ftyp(?:hei[cfmsx]|hev[cmsx]|mif1|msf1)/,
  mp4: /^[^]{4}ftyp/,
} as const;

export function createImgnetFilesActivity(deps: PostMediaDeps) {
  return {
    /** Publishes the pictures and videos of all slides of a post, in order, as the platform has them. */
    fetchImgnetFiles: (order: PostMediaOrder): Promise<PostMedia> =>
      fetchPostMedia(deps, order, {
        urlsOf: slideUrlsOf,
        make: (path, attempt) => verified(deps, path, attempt),
        publish: (made, call) => {
          const named = made.map(({ number, extension, ...file }) => {
            return { ...file, name: `${order.shortcode}-${String(number)}.${extension}` };
          });
          return publishPost(deps, order.recordId, { made: named, call });
        },
      }),
  };
}

/** The content decides what a file is, not its URL or Content-Type. */
async function verified(
  { media, maxMediaSeconds }: PostMediaDeps,
  path: string,
  { call, cameWhole }: { readonly call: RunningCall; readonly cameWhole: boolean },
): Promise<Omit<PostFile, 'name'> & { readonly extension: string }> {
  const extension = await formatOf(path);
  if (extension === undefined) throw new UnreadableMediaError('the file is neither a picture nor an MP4');
  if (extension !== 'mp4') {
    if (!cameWhole) throw new JobError('mediaHostIncomplete');
    return { path, extension, isSilence: true };
  }
  call.report({ stage: 'verifying' });
  const probe = await media.probe(path, call.signal);
  if (streamOf(probe, 'video') === undefined) throw new JobError('noVideo');
  if (!cameWhole) await rejectCutOff(media, { path, expectedSeconds: probe.durationSeconds }, call);
  rejectTooLong(probe.durationSeconds, maxMediaSeconds);
  const isSilence = streamOf(probe, 'audio') === undefined;
  return { path, extension, isSilence, durationSeconds: probe.durationSeconds };
}

async function formatOf(path: string): Promise<keyof typeof SIGNATURES | undefined> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.toString('latin1', 0, bytesRead);
    const formats = Object.keys(SIGNATURES) as (keyof typeof SIGNATURES)[];
    return formats.find((format) => SIGNATURES[format].test(head));
  } finally {
    await file.close();
  }
}
