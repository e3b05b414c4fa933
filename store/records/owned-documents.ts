import type { Collection, Db, Filter, UpdateFilter, WithoutId } from 'mongodb';
import type { Starter } from '../../contract/download-record.ts';
import { createScans } from '../mongo/scans.ts';
import { upsert } from '../mongo/upsert.ts';

/** What a caller has created. */
interface Owned {
  /** ULID; also the `_id` of the document. */
  readonly id: string;
  readonly startedBy: Starter;
}

export interface OwnedPage {
  /** Undefined: those of all callers. */
  readonly startedBy: Starter | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Documents that belong to callers. All writes may be repeated. */
export function createOwnedDocuments<Stored extends Owned>(db: Db, name: string) {
  type Document = Omit<Stored, 'id'> & { _id: string };
  const documents: Collection<Document> = db.collection(name);
  const scans = createScans();
  const byId = (id: string) => ({ _id: id }) as Filter<Document>;
  const fromDocument = ({ _id: id, ...fields }: { readonly _id: unknown }) => ({ id, ...fields }) as unknown as Stored;
  return {
    async create({ id, ...fields }: Stored): Promise<void> {
      await upsert(() => documents.replaceOne(byId(id), fields as unknown as WithoutId<Document>, { upsert: true }));
    },
    async get(id: string): Promise<Stored | undefined> {
      const document = await documents.findOne(byId(id));
      return document === null ? undefined : fromDocument(document);
    },
    /** @param removed optional fields that the document no longer has */
    async change(
      id: string,
      fields: Partial<Omit<Stored, 'id'>>,
      removed: readonly (keyof Stored)[] = [],
    ): Promise<void> {
      const $unset = Object.fromEntries(removed.map((field) => [field, '']));
      const change = { ...(Object.keys(fields).length > 0 && { $set: fields }), ...(removed.length > 0 && { $unset }) };
      if (Object.keys(change).length > 0) await documents.updateOne(byId(id), change as UpdateFilter<Document>);
    },
    async remove(id: string): Promise<void> {
      await documents.deleteOne(byId(id));
    },
    /** @param fields others that the documents have @returns a page, newest first */
    async list({ startedBy, before, limit }: OwnedPage, fields: Partial<Stored> = {}): Promise<readonly Stored[]> {
      // The driver ignores undefined fields (mongo-client.ts).
      const filter = { ...fields, startedBy, ...(before !== undefined && { _id: { $lt: before } }) };
      return (await scans(documents, { filter: filter as Filter<Document>, limit })).map(fromDocument);
    },
  };
}
