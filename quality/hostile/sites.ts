import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveOnLoopback } from '../../local/loopback-server.ts';

/** Fast enough that neither yt-dlp nor a timeout of a socket takes the site for a silent one. */
const SLOW_PAGE = { bytes: 1, everyMs: 10_000 };
/** Just above the least rate of a download, 64 KiB in 120 s. */
const SLOW_FILE = { bytes: 2_048, everyMs: 2_000 };
const SLOW_FILE_BYTES = 50_000_000;
/** Short of the 64 KiB that the service reads of the headers of an answer. */
export const ANSWER_BLANKS = 60_000;
export const REDIRECTS = 10;
/** Each site is a host of its own: what is limited by site must also be limited by caller. */
const HOSTS_A_BLOCK = 250;

export type SitePage = 'slow-page' | 'slow-file' | 'blanks' | 'pictures' | 'small';

export interface SiteMedia {
  readonly small: Buffer;
  readonly pictures: Buffer;
}

export type HostileSites = ReturnType<typeof createSites>;

/**
 * Sites on loopback whose pages and files keep the service busy at little cost to themselves. Linux only, where each address of
 * 127.0.0.0/8 is on loopback.
 */
export function createSites(media: SiteMedia) {
  const servers: { stop: () => Promise<void> }[] = [];
  const requests = new Map<SitePage, number>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', 'http://site');
    const page = url.pathname.slice(1) as SitePage;
    if (!Object.hasOwn(pages, page)) {
      response.writeHead(404).end();
      return;
    }
    requests.set(page, (requests.get(page) ?? 0) + 1);
    pages[page](response, url);
  };
  const pages: Readonly<Record<SitePage, (response: ServerResponse, url: URL) => void>> = {
    'slow-page': (response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<!doctype html><title>A page</title>');
      trickle(response, SLOW_PAGE);
    },
    'slow-file': (response) => {
      response.writeHead(200, { 'content-type': 'audio/mp4', 'content-length': SLOW_FILE_BYTES });
      response.write(media.small);
      trickle(response, SLOW_FILE);
    },
    blanks: (response, url) => {
      const hop = Number(url.searchParams.get('hop') ?? 0);
      const connection = `close,${' '.repeat(ANSWER_BLANKS)}x`;
      if (hop >= REDIRECTS) {
        sendFile(response, 'audio/mp4', media.small);
        return;
      }
      url.searchParams.set('hop', String(hop + 1));
      response.writeHead(302, { location: url.pathname + url.search, connection }).end();
    },
    pictures: (response) => sendFile(response, 'video/webm', media.pictures),
    small: (response) => sendFile(response, 'audio/mp4', media.small),
  };
  return {
    requestsOf: (page: SitePage): number => requests.get(page) ?? 0,
    async open(): Promise<string> {
      const number = servers.length;
      const host = `127.80.${String(Math.floor(number / HOSTS_A_BLOCK))}.${String((number % HOSTS_A_BLOCK) + 1)}`;
      const server = await serveOnLoopback(answer, 0, host);
      servers.push(server);
      return server.url;
    },
    stop: async (): Promise<void> => {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

function sendFile(response: ServerResponse, type: string, body: Buffer): void {
  response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
}

/** Sends a few bytes at a time until the other side leaves. */
function trickle(
  response: ServerResponse,
  { bytes, everyMs }: { readonly bytes: number; readonly everyMs: number },
): void {
  const piece = Buffer.alloc(bytes, ' ');
  const timer = setInterval(() => response.write(piece), everyMs);
  response.once('close', () => clearInterval(timer));
}
