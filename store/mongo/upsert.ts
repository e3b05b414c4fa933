import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';

/** Two concurrent upserts of one `_id` may collide (E11000); the second then finds the document and updates it. */
export async function upsert<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 11_000) throw error;
    return write();
  }
}

/** Changes the document of an `_id`, which is made where there is none. @returns it as it is now */
export async function upsertOne<Item extends { _id: string }>(
  collection: Collection<Item>,
  id: string,
  change: UpdateFilter<Item>,
): Promise<WithId<Item>> {
  const filter = { _id: id } as Filter<Item>;
  const document = await upsert(() =>
    collection.findOneAndUpdate(filter, change, { upsert: true, returnDocument: 'after' }),
  );
  if (document === null) throw new Error(`document ${id} of ${collection.collectionName} is missing`);
  return document;
}
