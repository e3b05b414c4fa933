import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import fresh from 'fresh';
import { HTTPResponse, type EventHandler, type H3Event } from 'h3';
import { ApiError } from '../../contract/http/api-error.ts';
import { ALL_FEEDS, type StoredFeed } from '../../contract/http/feed-schemas.ts';
import { FEEDS_MAX } from '../../contract/request-limits.ts';
import { createRecentCache } from '../../runtime/recent-cache.ts';
import { isSecretOf, parseKey } from '../../store/accounts/key-secrets.ts';
import { fileKeyOf } from '../../store/files/file-store.ts';
import { sendFile } from '../http/file-host.ts';
import { respond } from '../http/respond.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { exportSpeakerLabels } from '../use-cases/speaker-labels.ts';
import { exportTranscript } from '../use-cases/transcripts.ts';
import {
  chaptersText,
  CHAPTERS_FILE,
  CHAPTERS_TYPE,
  jsonFeedText,
  opmlText,
  rssText,
  TRANSCRIPT_FILE,
  type WriteFeed,
} from './feed-documents.ts';
import { episodesOf, feedSourceOf, type Episode } from './feed-source.ts';

export const FEEDS_PATH = '/feeds/';
const ARTWORK = 'artwork.png';
/** Between the token of a list of feeds and the ID of one of them. */
const LISTED = '~';
/** A player requests a file in many parts, and each request checks that the feed has the file. */
const CONTENTS_KNOWN_MS = 10_000;
const FILE_MAX_AGE_SECONDS = 300;
const SERVICE = { kind: 'service' } as const;
const DOCUMENTS = new Map<string | undefined, readonly [write: WriteFeed, type: string]>([
  ['rss', [rssText, 'application/rss+xml; charset=utf-8']],
  ['json', [jsonFeedText, 'application/feed+json']],
]);

interface Contents {
  readonly recordIds: ReadonlySet<string>;
  readonly episodes: () => Promise<readonly Episode[]>;
}

/** Serves feeds, and the files of their episodes, to holders of their tokens: podcast programs cannot send an API key. */
export function feedHost(deps: ServiceDeps): EventHandler {
  const { publicUrl } = deps;
  const artwork = readFile(new URL(ARTWORK, import.meta.url));
  const kept = createRecentCache<Contents>({ keptMs: CONTENTS_KNOWN_MS, most: 50, now: deps.elapsed });
  const contentsOf = async ({ source }: StoredFeed): Promise<Contents> => {
    const known = kept.get(source);
    if (known !== undefined) return known;
    const ids = (await (await feedSourceOf(deps, source))?.recordIds()) ?? [];
    let reading: Promise<readonly Episode[]> | undefined;
    return kept.keep(source, {
      recordIds: new Set(ids),
      episodes: () =>
        (reading ??= episodesOf(deps, ids).catch((error: unknown) => {
          reading = undefined;
          throw error;
        })),
    });
  };
  return async (event) => {
    // A token is the authorization, so pages of any site may play the feed.
    event.res.headers.set('Access-Control-Allow-Origin', '*');
    event.res.headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
    const [first = '', recordId, ...rest] = event.url.pathname.slice(FEEDS_PATH.length).split('/');
    if (first === ARTWORK) return textAnswer(event, await artwork, 'image/png');
    const [token = '', format] = first.split('.');
    const feed = await feedOf(deps, token);
    if (feed.source === ALL_FEEDS) {
      if (format !== 'opml') throw unknown();
      const all = await deps.podcastFeeds.list({ startedBy: feed.startedBy, limit: FEEDS_MAX });
      const listed = all.filter(({ source }) => source !== ALL_FEEDS);
      const urlOf = (id: string) => `${publicUrl}${FEEDS_PATH}${token}${LISTED}${id}.rss`;
      const text = opmlText(
        feed.title,
        listed.map(({ id, title }) => ({ title, url: urlOf(id) })),
      );
      return textAnswer(event, text, 'text/x-opml; charset=utf-8');
    }
    const { recordIds, episodes } = await contentsOf(feed);
    const addresses = {
      home: publicUrl,
      self: `${publicUrl}${FEEDS_PATH}${token}`,
      artwork: `${publicUrl}${FEEDS_PATH}${ARTWORK}`,
    };
    if (recordId === undefined) {
      const [write, type] = DOCUMENTS.get(format) ?? [];
      if (write === undefined || type === undefined) throw unknown();
      return textAnswer(event, write(feed, await episodes(), addresses), type);
    }
    if (!recordIds.has(recordId)) throw unknown();
    const name = rest.join('/');
    if (name === TRANSCRIPT_FILE || name === CHAPTERS_FILE) {
      const ofRecord = (await episodes()).filter(({ record }) => record.id === recordId);
      const { transcript, info } = ofRecord.find((one) => one.info ?? one.transcript) ?? {};
      if (name === TRANSCRIPT_FILE && transcript) return respond(deps, event, await transcriptOf(deps, transcript));
      if (name === CHAPTERS_FILE && info) return textAnswer(event, chaptersText(info), CHAPTERS_TYPE);
    }
    const key = fileKeyOf(`${recordId}/${name}`);
    const file = key && (await deps.files.open(key));
    if (key === undefined || file === undefined) throw unknown();
    return sendFile(deps, event, { key, file, maxAgeSeconds: FILE_MAX_AGE_SECONDS });
  };
}

function unknown(): ApiError {
  return new ApiError('not_found', 'There is no such feed or file.');
}

/** All invalid tokens get the same error, also those of a feed that was deleted and of a revoked API key. */
async function feedOf({ podcastFeeds, keys }: ServiceDeps, text: string): Promise<StoredFeed> {
  const [token = '', listedId] = text.split(LISTED);
  const given = parseKey(token, 'tdf');
  const feed = given && (await podcastFeeds.get(given.id));
  if (given === undefined || feed === undefined || !isSecretOf(feed.hash, given.secret)) throw unknown();
  if ((await keys.get(feed.startedBy))?.revokedAt !== undefined) throw unknown();
  if (listedId === undefined) return feed;
  const listed = feed.source === ALL_FEEDS ? await podcastFeeds.get(listedId) : undefined;
  if (listed === undefined || listed.startedBy !== feed.startedBy || listed.source === ALL_FEEDS) throw unknown();
  return listed;
}

function transcriptOf(deps: ServiceDeps, { id, type }: NonNullable<Episode['transcript']>) {
  const wanted = { format: 'vtt', waitMs: 0 } as const;
  return type === 'captions'
    ? exportTranscript(deps, SERVICE, { ...wanted, download_id: id })
    : exportSpeakerLabels(deps, SERVICE, { ...wanted, id });
}

function textAnswer(event: H3Event, body: string | Buffer<ArrayBuffer>, type: string): HTTPResponse {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const headers = { ETag: etag, 'Cache-Control': 'private, no-cache', 'Content-Type': type };
  const isKnown = fresh(Object.fromEntries(event.req.headers), { etag });
  if (isKnown) return new HTTPResponse(null, { status: 304, headers });
  return new HTTPResponse(event.req.method === 'HEAD' ? null : body, { headers });
}
