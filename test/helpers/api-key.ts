import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import type { TestService } from './service.ts';

/** Makes an API key of a service. @param credit in thousandths; unlimited where it is left out @returns its text */
export async function makeKey(service: TestService, credit?: number): Promise<string> {
  const { MONGODB_URI: uri = '', MONGODB_DATABASE: database = '' } = service.stack.env;
  const mongo = openMongo({ uri, database, timeoutMs: 5_000 });
  const key = await createKeyStore(mongo.db).create({ name: 'e2e', scopes: ['read', 'jobs', 'webhooks'] });
  await createAccountStore(mongo.db).open(key.id, credit);
  await mongo.close();
  return key.text;
}
