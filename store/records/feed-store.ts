import type { Db } from 'mongodb';
import { ulid } from 'ulid';
import type { StoredFeed } from '../../contract/http/feed-schemas.ts';
import { makeSecret } from '../accounts/key-secrets.ts';
import { nowMicroseconds } from '../mongo/clock.ts';
import { createOwnedDocuments } from './owned-documents.ts';

export type FeedStore = ReturnType<typeof createFeedStore>;

export function createFeedStore(db: Db) {
  const feeds = createOwnedDocuments<StoredFeed>(db, 'feeds');
  return {
    ...feeds,
    /** @returns the feed with its token, which is not stored */
    async create(
      given: Omit<StoredFeed, 'id' | 'hash' | 'createdAt'>,
    ): Promise<{ readonly feed: StoredFeed; readonly token: string }> {
      const { id, key: token, hash } = makeSecret('tdf', ulid());
      const feed = { id, ...given, hash, createdAt: nowMicroseconds() };
      await feeds.create(feed);
      return { feed, token };
    },
  };
}
