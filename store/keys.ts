import type { Collection, Db } from 'mongodb';
import type { ApiKey, Scope } from '../contract/accounts.ts';
import { nowMicroseconds } from './clock.ts';
import { makeSecret } from './key-secrets.ts';

/** A key with the hash of its secret. */
export interface StoredKey extends ApiKey {
  readonly hash: string;
}

type KeyDocument = Omit<StoredKey, 'id'> & { _id: string };

export interface KeyStore {
  /** @returns the key, with the text that its holder sends; nobody can read it again */
  create(key: {
    readonly name: string;
    readonly scopes: readonly Scope[];
  }): Promise<ApiKey & { readonly text: string }>;
  get(id: string): Promise<StoredKey | undefined>;
  /** All keys, the oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /** A revoked key stays in the list, and its account readable. */
  revoke(id: string): Promise<void>;
}

export function createKeyStore(db: Db): KeyStore {
  const keys: Collection<KeyDocument> = db.collection('keys');
  return {
    async create({ name, scopes }) {
      const { id, key: text, hash } = makeSecret();
      const fields = { name, scopes, createdAt: nowMicroseconds() };
      await keys.insertOne({ _id: id, ...fields, hash });
      return { id, ...fields, text };
    },
    async get(id) {
      const document = await keys.findOne({ _id: id });
      return document === null ? undefined : fromDocument(document);
    },
    async list() {
      const all = (await keys.find().toArray()).map(fromDocument);
      return all.map(({ hash: _secret, ...key }) => key).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    },
    async revoke(id) {
      await keys.updateOne({ _id: id }, { $set: { revokedAt: nowMicroseconds() } });
    },
  };
}

function fromDocument({ _id, ...fields }: KeyDocument): StoredKey {
  return { id: _id, ...fields };
}
