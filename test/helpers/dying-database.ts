import type { Db } from 'mongodb';

/** Whether the operation at which a process dies still takes effect. */
export type LastOperation = 'made' | 'not made';

const OPERATIONS: ReadonlySet<unknown> = new Set([
  ...['findOne', 'insertOne', 'insertMany', 'updateOne', 'deleteOne', 'findOneAndUpdate', 'createIndex'],
]);

/**
 * A database as a process sees it that dies at one of its operations, and does nothing any more after it.
 *
 * @param diesNow is awaited before each operation
 */
export function dyingDatabase(
  db: Db,
  diesNow: () => LastOperation | undefined | Promise<LastOperation | undefined>,
): Db {
  let isDead = false;
  const operate = async (operation: () => unknown): Promise<unknown> => {
    const last = isDead ? 'not made' : await diesNow();
    if (last === undefined) return operation();
    isDead = true;
    if (last === 'made') await operation();
    throw new Error('the process has died');
  };
  const collection = (name: string): object =>
    new Proxy(db.collection(name), {
      get(target, property) {
        const method = Reflect.get(target, property) as unknown;
        if (typeof method !== 'function') return method;
        const call = (...args: unknown[]): unknown => Reflect.apply(method, target, args) as unknown;
        return OPERATIONS.has(property) ? (...args: unknown[]) => operate(() => call(...args)) : call;
      },
    });
  return new Proxy(db, {
    get: (target, property) => (property === 'collection' ? collection : (Reflect.get(target, property) as unknown)),
  });
}
