import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { serveOnLoopback } from '../../local/loopback-server.ts';
import type { SourceCall } from '../../sources/source-call-options.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { warmStarter } from './yt-dlp.ts';

export interface Page {
  readonly status?: number;
  readonly type?: string;
  readonly body: string | Buffer | object;
  /** How the length of the body is shown. Default: by `Content-Length`. */
  readonly length?: 'chunked' | 'by closing the connection';
  /** What each answer waits for. */
  readonly when?: () => Promise<unknown>;
}

/** A web site on loopback, and yt-dlp's settings for it: pages under `/recorded/` are what an extractor has given. */
export class RecordedSite {
  readonly requests: string[] = [];
  readonly #pages = new Map<string, Page>();
  url = '';
  stop: () => Promise<void> = () => Promise.resolve();

  static async start(): Promise<RecordedSite> {
    const site = new RecordedSite();
    const { url, stop } = await serveOnLoopback((request, response) => site.#answer(request, response));
    site.url = url;
    site.stop = stop;
    return site;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '').split('?')[0] ?? '';
    this.requests.push(path);
    const page = this.#pages.get(path) ?? { status: 404, body: '' };
    const answer = (): void => {
      const { status = 200, type = 'application/json', body, length } = page;
      const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      response.useChunkedEncodingByDefault = length === 'chunked';
      const contentLength = length === undefined ? { 'content-length': Buffer.byteLength(bytes) } : {};
      const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
      if (first !== undefined && Buffer.isBuffer(bytes) && length === undefined) {
        const end = last === '' ? bytes.length : Math.min(Number(last) + 1, bytes.length);
        const part = bytes.subarray(Number(first), end);
        const range = `bytes ${first}-${String(end - 1)}/${String(bytes.length)}`;
        response.writeHead(206, { 'content-type': type, 'content-range': range, 'content-length': part.length });
        response.end(request.method === 'HEAD' ? undefined : part);
        return;
      }
      response.writeHead(status, { 'content-type': type, 'accept-ranges': 'bytes', ...contentLength });
      response.end(request.method === 'HEAD' ? undefined : bytes);
    };
    if (page.when === undefined) answer();
    else void page.when().then(answer, () => response.destroy());
  }

  set(path: string, page: Page): void {
    this.#pages.set(path, page);
  }

  settings(more: Partial<YtdlpSettings> = {}): YtdlpSettings {
    return {
      program: inject('ytdlp'),
      videoUrlTemplate: `${this.url}/recorded/{id}`,
      channelUrlTemplate: `${this.url}/recorded/{path}`,
      pluginDir: fileURLToPath(new URL('./yt-dlp-plugins', import.meta.url)),
      maxFileBytes: 50_000_000,
      maxVideoHeight: 1080,
      starter: warmStarter,
      ...more,
    };
  }
}

/** Runs a driver in a folder that is gone afterwards. */
export async function inFolder<Result>(
  use: (call: SourceCall) => Promise<Result>,
  more: Partial<SourceCall> = {},
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-source-'));
  try {
    return await use({ folder, signal: new AbortController().signal, timeoutMs: 60_000, ...more });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
