import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileSource, sendBody, type BodySource } from '../body.ts';
import { encodedOnce } from '../media-files.ts';
import { pictureSource } from '../thumbnails.ts';
import type { Publication } from './publications.ts';

const MEDIA = fileURLToPath(new URL('../catalogue/media', import.meta.url));
const PREFIX = '/imgnet-media/';
/** Recordings of the built-in catalogue, with the lengths of their pictures. */
const RECORDINGS = [
  { name: 'garden', seconds: 14.2 },
  { name: 'bridge', seconds: 17.9 },
  { name: 'tea', seconds: 28.7 },
] as const;
type Recording = (typeof RECORDINGS)[number];

export interface MediaParts {
  readonly baseUrl: () => string;
  readonly ffmpeg: string;
  readonly cacheDir: string;
  readonly find: (shortcode: string) => Publication | undefined;
  readonly now: () => number;
  readonly onRequest: (expired: boolean) => void;
}

export type MediaHost = ReturnType<typeof createMediaHost>;

/** The length of the nth video of a publication (from 0). Those of a carousel differ, so that tests see their order. */
export function videoSeconds({ seed }: Publication, nth = 0): number {
  return recordingOf(seed + nth).seconds;
}

/** Serves photos and videos by links that expire at `oe`, a time in hexadecimal seconds, as the platform's do. */
export function createMediaHost(parts: MediaParts) {
  const key = randomBytes(32);
  const sign = (path: string, oe: string): string =>
    createHmac('sha256', key).update(`${path}\0${oe}`).digest('base64url').slice(0, 22);
  const signed = (path: string, expiresAtMs: number): string => {
    const oe = Math.floor(expiresAtMs / 1000)
      .toString(16)
      .toUpperCase();
    return `${parts.baseUrl()}${path}?oe=${oe}&oh=${sign(path, oe)}`;
  };

  const videoOf = (publication: Publication, slide: number): string | Promise<string> => {
    const nth = publication.slides.slice(0, slide).filter((kind) => kind === 'video').length;
    const { name } = recordingOf(publication.seed + nth);
    if (publication.case === 'silent') return join(MEDIA, name, '160.mp4');
    return withSound(name, parts);
  };
  const sourceOf = async (path: string): Promise<BodySource | undefined> => {
    const [shortcode = '', file = ''] = path.slice(PREFIX.length).split('/');
    if (shortcode === 'avatar') return pictureSource(path);
    const publication = parts.find(shortcode);
    const index = Number.parseInt(file, 10);
    const slide = publication?.slides[index];
    if (publication === undefined || slide === undefined) return undefined;
    if (file.endsWith('.png')) return pictureSource(path);
    return slide === 'video' ? fileSource(await videoOf(publication, index), 'mp4') : undefined;
  };

  return {
    /** A link to a slide's photo or video, or to a video's cover; it answers 403 after `expiresAtMs`. */
    link: (publication: Publication, name: `${number}.mp4` | `${number}.png`, expiresAtMs: number): string =>
      signed(`${PREFIX}${publication.shortcode}/${name}`, expiresAtMs),
    avatarLink: (userName: string, expiresAtMs: number): string =>
      signed(`${PREFIX}avatar/${userName}.png`, expiresAtMs),
    async handle(req: IncomingMessage, res: ServerResponse, url: URL): Promise<boolean> {
      const path = url.pathname;
      if (!path.startsWith(PREFIX)) return false;
      const oe = url.searchParams.get('oe') ?? '';
      const expired = Number.parseInt(oe, 16) * 1000 <= parts.now();
      parts.onRequest(expired);
      if (expired || url.searchParams.get('oh') !== sign(path, oe)) {
        res.writeHead(403, { 'Content-Type': 'text/plain' }).end(expired ? 'URL signature expired' : 'Bad URL hash');
        return true;
      }
      const source = await sourceOf(path);
      if (source === undefined) res.writeHead(404).end();
      else await sendBody({ req, res }, source);
      return true;
    },
  };
}

function recordingOf(seed: number): Recording {
  return RECORDINGS[seed % RECORDINGS.length] ?? RECORDINGS[0];
}

function withSound(name: string, { ffmpeg, cacheDir }: MediaParts): Promise<string> {
  const input = (file: string): string[] => ['-protocol_whitelist', 'file', '-i', `file:${join(MEDIA, name, file)}`];
  return encodedOnce(join(cacheDir, 'imgnet', `${name}.mp4`), ffmpeg, [
    ...[...input('160.mp4'), ...input('139.m4a'), '-map', '0:v', '-map', '1:a'],
    ...['-c', 'copy', '-movflags', '+faststart'],
  ]);
}
