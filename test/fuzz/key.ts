import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import type { Stack } from '../../local/stack.ts';
import { configOf } from './config-of.ts';

/** @returns an API key with all scopes and without a limit of credit */
export async function makeKey(stack: Pick<Stack, 'env'>): Promise<string> {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configOf(stack);
  const mongo = openMongo({ uri, database, timeoutMs: 5_000 });
  try {
    const key = await createKeyStore(mongo.db).create({ name: 'fuzz', scopes: ['read', 'jobs', 'webhooks'] });
    await createAccountStore(mongo.db).open(key.id, undefined);
    return key.text;
  } finally {
    await mongo.close();
  }
}
