import { ulid } from 'ulid';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { ALL_FEEDS, renderFeed, type Feed, type FeedList, type FeedRequest } from '../../contract/http/feed-schemas.ts';
import type { PageQuery } from '../../contract/http/fields.ts';
import { FEEDS_MAX } from '../../contract/request-limits.ts';
import { optional } from '../../runtime/optional.ts';
import { makeSecret } from '../../store/accounts/key-secrets.ts';
import { nowMicroseconds } from '../../store/mongo/clock.ts';
import { invalidField } from '../http/to-api-error.ts';
import type { UseCase } from '../operations/operation.ts';
import { feedSourceOf } from '../podcasts/feed-source.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { isOwn, ownOf, ownPageOf } from './own-documents.ts';
import { subscriberOf } from './subscribers.ts';

/** POST /api/feeds: the only answer with the addresses of the feed, because its token is not stored. */
export const createFeed: UseCase<FeedRequest, Feed> = async (deps, caller, request) => {
  const startedBy = subscriberOf(caller);
  const name = await sourceName(deps, caller, request.source);
  const { length } = await deps.podcastFeeds.list({ startedBy, limit: FEEDS_MAX });
  if (length === FEEDS_MAX) throw invalidField('source', `You have ${String(FEEDS_MAX)} feeds, which is the maximum.`);
  const { source, title = name, language = 'en', image_url: imageUrl } = request;
  const { id, key: token, hash } = makeSecret('tdf', ulid());
  const fields = { startedBy, source, title, language, ...optional('imageUrl', imageUrl) };
  const feed = { id, ...fields, hash, createdAt: nowMicroseconds() };
  await deps.podcastFeeds.create(feed);
  return { state: 'finished', body: renderFeed(feed, `${deps.publicUrl}/feeds/${token}`) };
};

async function sourceName(deps: ServiceDeps, caller: Caller, id: string): Promise<string> {
  if (id === ALL_FEEDS) return 'Tapedeck';
  const source = await feedSourceOf(deps, id);
  if (source === undefined || !isOwn(caller, source))
    throw invalidField('source', 'There is no batch or subscription with this id.');
  return source.name;
}

/** GET /api/feeds: the caller's feeds, newest first. Internal services see all. */
export const listFeeds: UseCase<PageQuery, FeedList> = async (deps, caller, page) => {
  const { shown, next } = await ownPageOf(deps.podcastFeeds, caller, page);
  return { state: 'finished', body: { feeds: shown.map((feed) => renderFeed(feed)), next_cursor: next } };
};

/** DELETE /api/feeds/{feedId}: its addresses, and those of its files, are not found from now on. */
export const deleteFeed: UseCase<{ readonly feed_id: string }, Feed> = async (deps, caller, { feed_id: id }) => {
  const feed = await ownOf(deps.podcastFeeds, caller, { id, what: 'feed' });
  await deps.podcastFeeds.remove(id);
  return { state: 'finished', body: renderFeed(feed) };
};
