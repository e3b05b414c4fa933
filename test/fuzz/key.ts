import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import type { Stack } from '../../local/stack.ts';
import { configOf } from './config-of.ts';

/** Makes an API key with all scopes. @param credit in thousandths; unlimited by default @returns its text */
export async function makeKey(stack: Pick<Stack, 'env'>, credit?: number): Promise<string> {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configOf(stack);
  const mongo = openMongo({ uri, database, timeoutMs: 5_000 });
  try {
    const key = await createKeyStore(mongo.db).create({ name: 'test', scopes: ['read', 'jobs', 'webhooks'] });
    await createAccountStore(mongo.db).open(key.id, credit);
    return key.text;
  } finally {
    await mongo.close();
  }
}
