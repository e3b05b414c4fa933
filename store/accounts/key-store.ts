import type { Collection, Db } from 'mongodb';
import type { ApiKey } from '../../contract/http/account-schemas.ts';
import { nowMicroseconds } from '../mongo/clock.ts';
import { makeSecret } from './key-secrets.ts';

export interface StoredKey extends ApiKey {
  readonly hash: string;
}

type KeyDocument = Omit<StoredKey, 'id'> & { _id: string };

export type KeyStore = ReturnType<typeof createKeyStore>;

export function createKeyStore(db: Db) {
  const keys: Collection<KeyDocument> = db.collection('keys');
  return {
    /** @returns the key with the text that its holder sends, which is not stored */
    async create(key: Pick<ApiKey, 'name' | 'scopes'>): Promise<ApiKey & { readonly text: string }> {
      const { id, key: text, hash } = makeSecret();
      const fields = { ...key, createdAt: nowMicroseconds() };
      await keys.insertOne({ _id: id, ...fields, hash });
      return { id, ...fields, text };
    },
    async get(id: string): Promise<StoredKey | undefined> {
      const document = await keys.findOne({ _id: id });
      return document === null ? undefined : fromDocument(document);
    },
    async list(): Promise<readonly ApiKey[]> {
      const all = (await keys.find().toArray()).map(fromDocument);
      return all.map(({ hash: _secret, ...key }) => key).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    },
    /** Revokes a key. It stays in the list, and its account can be read. */
    async revoke(id: string): Promise<void> {
      await keys.updateOne({ _id: id }, { $set: { revokedAt: nowMicroseconds() } });
    },
  };
}

function fromDocument({ _id, ...fields }: KeyDocument): StoredKey {
  return { id: _id, ...fields };
}
