/** Two concurrent upserts of one `_id` may collide (E11000); the second then finds the document and updates it. */
export async function upsert<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 11_000) throw error;
    return write();
  }
}
