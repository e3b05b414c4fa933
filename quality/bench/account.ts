import { MongoClient } from 'mongodb';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { DATABASE } from './service.ts';

const CREDIT_THOUSANDTHS = 1_000_000;

/** @returns the header of a key that can pay */
export async function openAccount(mongodbUri: string): Promise<string> {
  const mongo = await MongoClient.connect(mongodbUri);
  try {
    const { id, text } = await createKeyStore(mongo.db(DATABASE)).create({ name: 'bench', scopes: ['read', 'jobs'] });
    await createAccountStore(mongo.db(DATABASE)).open(id, CREDIT_THOUSANDTHS);
    return `Bearer ${text}`;
  } finally {
    await mongo.close();
  }
}
