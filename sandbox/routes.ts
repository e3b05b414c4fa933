import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { sendBody, write, type SendOptions } from './body.ts';
import type { Catalogue, CatalogueVideo, MediaFormat } from './catalogue.ts';
import { answer, readJson, refusal, sendJson, type JsonAnswer } from './json-http.ts';
import { SwitchError, switchSchema, type Switchboard, type Target } from './misbehaviour.ts';
import { channelPage, indexPage, unknownVideoPage, videoPage } from './pages.ts';
import { endless, fileSource, jsonSource } from './sources.ts';
import type { Stats } from './stats.ts';

const LIVE_BYTES_PER_SECOND = 16_000;
const NOTHING_HERE = refusal(404, 'There is nothing here.');

export interface RouteParts {
  readonly catalogue: Catalogue;
  readonly switchboard: Switchboard;
  readonly stats: Stats;
  readonly baseUrl: () => string;
}

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly url: URL;
}

/** Some JSON, or undefined when the answer was sent already. */
type Handled = Promise<JsonAnswer | undefined>;

/** Answers every request. No path from outside reaches the disk: only entries of the catalogue do. */
export function createRoutes(parts: RouteParts): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const { catalogue, switchboard, stats } = parts;
  const videos = new Map(catalogue.videos.map((video) => [video.id, video]));
  const channels = new Map(
    catalogue.channels.flatMap((channel) => [
      [channel.handle, channel] as const,
      [`channel/${channel.id}`, channel] as const,
    ]),
  );
  const page = (videoId: string): SendOptions => behaviour(videoId, 'page', {});
  const behaviour = (videoId: string, target: Target, watch: Partial<SendOptions>): SendOptions => ({
    misbehaviour: switchboard.take(videoId, target),
    onBytes: () => undefined,
    onComplete: () => undefined,
    ...watch,
  });

  const watch = async (exchange: Exchange): Handled => {
    const id = exchange.url.searchParams.get('v') ?? '';
    const video = videos.get(id);
    stats.add(id, 'page_reads');
    const body = video === undefined ? unknownVideoPage(id.slice(0, 100)) : videoPage(video, parts.baseUrl());
    await sendBody(exchange, jsonSource(body), page(id));
    return undefined;
  };

  const channelListing = async (exchange: Exchange, path: string): Handled => {
    const channel = channels.get(path);
    if (channel === undefined) return refusal(404, 'There is no such channel.');
    const number = pageNumber.safeParse(exchange.url.searchParams.get('page') ?? undefined);
    if (!number.success) return refusal(400, 'page: a number from 1 to 100000');
    const body = channelPage(catalogue, channel, { baseUrl: parts.baseUrl(), page: number.data });
    await sendBody(exchange, jsonSource(body), page('*'));
    return undefined;
  };

  const media = async (exchange: Exchange, video: CatalogueVideo, formatId: string): Handled => {
    const format = video.formats.find((one) => one.formatId === formatId);
    const source = format && (await fileSource(format.path, format.facts.ext));
    if (format === undefined || source === undefined) return NOTHING_HERE;
    stats.add(video.id, 'media_requests');
    const options = behaviour(video.id, 'media', {
      onBytes: (sizeBytes) => stats.add(video.id, 'media_bytes', sizeBytes),
      onComplete: () => stats.add(video.id, 'complete_media_bodies'),
    });
    if (video.case === 'live' && options.misbehaviour === undefined) await broadcast(exchange, format, options);
    else await sendBody(exchange, source, options);
    return undefined;
  };

  const captions = async (exchange: Exchange, video: CatalogueVideo, name: string): Handled => {
    const file = video.captions.flatMap((track) => track.files).find((one) => one.name === name);
    const source = file && (await fileSource(file.path, file.ext));
    if (source === undefined) return NOTHING_HERE;
    stats.add(video.id, 'caption_requests');
    await sendBody(exchange, source, {
      misbehaviour: undefined,
      onBytes: () => undefined,
      onComplete: () => undefined,
    });
    return undefined;
  };

  const misbehave = async (req: IncomingMessage): Handled => {
    const body = await readJson(req);
    if (body === undefined) return refusal(400, 'The body is no JSON of at most 64 KiB.');
    const parsed = switchSchema.safeParse(body);
    if (!parsed.success) return refusal(400, z.prettifyError(parsed.error));
    try {
      return answer(200, { switches: switchboard.set(parsed.data) });
    } catch (error) {
      if (error instanceof SwitchError) return refusal(400, error.message);
      throw error;
    }
  };

  const handle = async (exchange: Exchange): Handled => {
    const { req, url } = exchange;
    if (req.method === 'POST') {
      if (url.pathname === '/misbehave') return misbehave(req);
      if (url.pathname !== '/stats/reset') return refusal(405, 'POST is for /misbehave and /stats/reset.');
      stats.reset();
      return answer(200, stats.snapshot());
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') return refusal(405, 'Only GET, HEAD and POST are known here.');
    switch (url.pathname) {
      case '/':
        return answer(200, indexPage(catalogue, parts.baseUrl()));
      case '/stats':
        return answer(200, stats.snapshot());
      case '/misbehave':
        return answer(200, { switches: switchboard.list() });
      case '/watch':
        return watch(exchange);
      default: {
        const [first = '', second = '', third = '', ...more] = url.pathname.split('/').slice(1).map(decode);
        const video = videos.get(second);
        if (more.length > 0) return NOTHING_HERE;
        if (first === 'media' && video !== undefined) return media(exchange, video, third);
        if (first === 'captions' && video !== undefined) return captions(exchange, video, third);
        if (first.startsWith('@') && isVideosTab(second)) return channelListing(exchange, first);
        if (first === 'channel' && isVideosTab(third)) return channelListing(exchange, `channel/${second}`);
        return NOTHING_HERE;
      }
    }
  };

  return async (req, res) => {
    // Joined and not resolved: `//x` would otherwise be the host x.
    const url = (req.url ?? '').startsWith('/') ? `http://sandbox${req.url ?? ''}` : '';
    const handled = URL.canParse(url)
      ? await handle({ req, res, url: new URL(url) })
      : refusal(400, 'The URL cannot be read.');
    if (handled !== undefined) sendJson(res, handled);
  };
}

const pageNumber = z.coerce.number().int().min(1).max(100_000).default(1);

/** A broadcast has no length and no end. */
async function broadcast({ req, res }: Exchange, { path }: MediaFormat, { onBytes }: SendOptions): Promise<void> {
  res.setHeader('Content-Type', 'application/octet-stream');
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  await write(res, endless(path), { bytesPerSecond: LIVE_BYTES_PER_SECOND, onBytes });
}

function isVideosTab(segment: string): boolean {
  return segment === '' || segment === 'videos';
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
