import { open, rename } from 'node:fs/promises';
import { UnreadableMediaError } from '../media/media-guard.ts';
import { codecOf } from '../media/probe.ts';
import { JobError } from '../runtime/job-error.ts';
import { rejectCutOff, rejectTooLong } from './make-file.ts';
import {
  fetchPostMedia,
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
      }),
  };
}

/** The content decides what a file is, not its URL or Content-Type. */
async function verified(
  { media, maxMediaSeconds }: PostMediaDeps,
  source: string,
  { call, cameWhole }: { readonly call: RunningCall; readonly cameWhole: boolean },
): Promise<PostFile> {
  const format = await formatOf(source);
  if (format === undefined) throw new UnreadableMediaError('the file is neither a picture nor an MP4');
  const path = `${source}.${format}`;
  if (format !== 'mp4') {
    if (!cameWhole) throw new JobError('mediaHostIncomplete');
    await rename(source, path);
    return { path, isSilence: true };
  }
  call.report({ stage: 'verifying' });
  const probe = await media.probe(source, call.signal);
  const { durationSeconds } = probe;
  if (codecOf(probe, 'video') === undefined) throw new JobError('noVideo');
  if (!cameWhole) await rejectCutOff(media, { path: source, expectedSeconds: durationSeconds }, call);
  rejectTooLong(durationSeconds, maxMediaSeconds);
  await rename(source, path);
  return { path, isSilence: codecOf(probe, 'audio') === undefined, durationSeconds };
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
