import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb';

/** Whether an insert failed because a document with the same `_id` exists (E11000). */
export function isDuplicate(error: unknown): boolean {
  return (error as { code?: unknown }).code === 11_000;
}

/** Repeats an upsert that collided with another one of the same `_id`: the second attempt finds the document. */
export async function upsert<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return write();
  }
}

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
