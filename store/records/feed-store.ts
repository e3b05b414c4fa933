import type { Collection, Db, Filter } from 'mongodb';
import { ulid } from 'ulid';
import type { Starter } from '../../contract/download-record.ts';
import type { StoredFeed } from '../../contract/http/feed-schemas.ts';
import { makeSecret } from '../accounts/key-secrets.ts';
import { nowMicroseconds } from '../mongo/clock.ts';
import { createScans } from '../mongo/scans.ts';

type FeedDocument = Omit<StoredFeed, 'id'> & { _id: string };

export type FeedStore = ReturnType<typeof createFeedStore>;

export function createFeedStore(db: Db) {
  const feeds: Collection<FeedDocument> = db.collection('feeds');
  const scans = createScans();
  return {
    /** @returns the feed with its token, which is not stored */
    async create(
      given: Omit<StoredFeed, 'id' | 'hash' | 'createdAt'>,
    ): Promise<{ readonly feed: StoredFeed; readonly token: string }> {
      const { id, key: token, hash } = makeSecret('tdf', ulid());
      const fields = { ...given, hash, createdAt: nowMicroseconds() };
      await feeds.insertOne({ _id: id, ...fields });
      return { feed: { id, ...fields }, token };
    },
    async get(id: string): Promise<StoredFeed | undefined> {
      const document = await feeds.findOne({ _id: id });
      return document === null ? undefined : fromDocument(document);
    },
    async remove(id: string): Promise<void> {
      await feeds.deleteOne({ _id: id });
    },
    /** @param startedBy undefined: all feeds @returns a page, newest first */
    async list(page: {
      readonly startedBy: Starter | undefined;
      readonly before?: string | undefined;
      readonly limit: number;
    }): Promise<readonly StoredFeed[]> {
      const { startedBy, before, limit } = page;
      // The driver ignores undefined fields (mongo-client.ts).
      const filter = { startedBy, ...(before !== undefined && { _id: { $lt: before } }) } as Filter<FeedDocument>;
      return (await scans(feeds, { filter, limit })).map(fromDocument);
    },
  };
}

function fromDocument({ _id, ...fields }: FeedDocument): StoredFeed {
  return { id: _id, ...fields };
}
