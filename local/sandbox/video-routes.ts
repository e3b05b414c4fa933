import { readFile } from 'node:fs/promises';
import { bytesSource, endless, fileSource, jsonSource, sendBody, write, type SendOptions } from './body.ts';
import type { CatalogueVideo, MediaFormat } from './catalogue.ts';
import type { SandboxParts } from './control-routes.ts';
import { refusal, send, type Exchange } from './json-http.ts';
import { channelPage, commentPage, playlistPage, unknownVideoPage, videoPage } from './pages.ts';
import { translateCaptions } from './translate-captions.ts';
import type { Target } from './switches.ts';
import { thumbnailSource } from './thumbnails.ts';

const LIVE_BYTES_PER_SECOND = 16_000;
const CHANNEL_PATHS = ['channel', 'c', 'user'];

export function createVideoRoutes(parts: SandboxParts): (exchange: Exchange) => Promise<void> {
  const { library, switchboard, stats } = parts;
  const behaviour = (videoId: string, target: Target): SendOptions => ({
    misbehaviour: switchboard.take(videoId, target),
  });

  const watch = async (exchange: Exchange): Promise<void> => {
    const id = exchange.url.searchParams.get('v') ?? '';
    const video = library.video(id);
    stats.add(id, 'page_reads');
    const body = video === undefined ? unknownVideoPage(id) : videoPage(video, parts.baseUrl());
    await sendBody(exchange, jsonSource(body), behaviour(id, 'page'));
  };

  const channelListing = async (exchange: Exchange, path: string): Promise<void> => {
    const channel = library.channel(path);
    const options = behaviour('*', 'page');
    if (channel === undefined) {
      await sendBody(exchange, jsonSource({ error: 'There is no such channel.' }), { ...options, status: 404 });
      return;
    }
    const page = pageOf(exchange);
    stats.addChannelPage(channel.id, page);
    await sendBody(exchange, jsonSource(channelPage(library, channel, { baseUrl: parts.baseUrl(), page })), options);
  };

  const playlist = async (exchange: Exchange): Promise<void> => {
    const id = exchange.url.searchParams.get('list') ?? '';
    const found = library.playlist(id);
    const options = behaviour('*', 'page');
    const body =
      found === undefined
        ? { alerts: [{ type: 'ERROR', text: 'The playlist does not exist.' }] }
        : playlistPage(found, { baseUrl: parts.baseUrl(), page: pageOf(exchange) });
    stats.addPlaylistPage(id);
    await sendBody(exchange, jsonSource(body), options);
  };

  const media = async (exchange: Exchange, video: CatalogueVideo, formatId: string): Promise<void> => {
    const format = video.formats.find((one) => one.formatId === formatId);
    const source = format && (await fileSource(format.path, format.facts.ext));
    if (format === undefined || source === undefined) return nothingHere(exchange);
    stats.add(video.id, 'media_requests');
    const options: SendOptions = {
      ...behaviour(video.id, 'media'),
      onBytes: (sizeBytes) => stats.add(video.id, 'media_bytes', sizeBytes),
      onComplete: () => stats.add(video.id, 'complete_media_bodies'),
    };
    if (video.case === 'live' && options.misbehaviour === undefined) await broadcast(exchange, format, options);
    else await sendBody(exchange, source, options);
  };

  const captions = async (exchange: Exchange, video: CatalogueVideo, name: string): Promise<void> => {
    const file = video.captions.flatMap((track) => track.files).find((one) => one.name === name);
    const original = file && (await fileSource(file.path, file.ext));
    if (file === undefined || original === undefined) return nothingHere(exchange);
    stats.add(video.id, 'caption_requests');
    const language = exchange.url.searchParams.get('tlang');
    const translated = language && translateCaptions(await readFile(file.path, 'utf8'), file.ext, language);
    const source = translated ? bytesSource(Buffer.from(translated), original.contentType) : original;
    await sendBody(exchange, source, behaviour(video.id, 'captions'));
  };

  const comments = async (exchange: Exchange, video: CatalogueVideo): Promise<void> => {
    stats.add(video.id, 'comment_pages');
    const query = exchange.url.searchParams;
    const body = commentPage(video, {
      baseUrl: parts.baseUrl(),
      page: pageOf(exchange),
      sort: query.get('sort') === 'top' ? 'top' : 'new',
      parent: query.get('parent') ?? undefined,
    });
    await sendBody(exchange, jsonSource(body ?? { comments: null }), behaviour(video.id, 'comments'));
  };

  return async (exchange) => {
    const { pathname } = exchange.url;
    if (pathname === '/watch') return watch(exchange);
    if (pathname === '/playlist') return playlist(exchange);
    const [first = '', second = '', third = '', ...more] = pathname.split('/').slice(1).map(decode);
    if (more.length > 0) return nothingHere(exchange);
    if (first.startsWith('@') && third === '' && isVideosTab(second)) return channelListing(exchange, first);
    if (CHANNEL_PATHS.includes(first) && isVideosTab(third)) return channelListing(exchange, `${first}/${second}`);
    const video = library.video(second);
    const picture =
      first === 'avatar' || (first === 'vi' && video !== undefined) ? thumbnailSource(first, second, third) : undefined;
    if (picture !== undefined) return sendBody(exchange, picture);
    if (video === undefined) return nothingHere(exchange);
    if (first === 'media') return media(exchange, video, third);
    if (first === 'captions') return captions(exchange, video, third);
    if (first === 'comments' && third === '') return comments(exchange, video);
    return nothingHere(exchange);
  };
}

function nothingHere({ res }: Exchange): Promise<void> {
  send(res, refusal(404, 'There is nothing here.'));
  return Promise.resolve();
}

async function broadcast({ req, res }: Exchange, { path }: MediaFormat, { onBytes }: SendOptions): Promise<void> {
  res.setHeader('Content-Type', 'application/octet-stream');
  if (req.method === 'HEAD') res.end();
  else await write(res, endless(path), { bytesPerSecond: LIVE_BYTES_PER_SECOND, onBytes });
}

function pageOf({ url }: Exchange): number {
  return Number(url.searchParams.get('page') ?? '1');
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
