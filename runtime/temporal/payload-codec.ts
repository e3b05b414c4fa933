import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { ENCRYPTED, UNREADABLE } from './payload-encodings.ts';

export interface PayloadKey {
  /** The ID, which is stored with each payload that the key encrypts. */
  readonly id: string;
  readonly key: Uint8Array;
}

/** The keys that decrypt payloads, and the one that encrypts them. Without a current key, payloads are not encrypted. */
export interface PayloadKeys {
  readonly current: PayloadKey | undefined;
  readonly all: readonly PayloadKey[];
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID = 'encryption-key-id';
const PayloadMessage = proto.temporal.api.common.v1.Payload;

/**
 * Encrypts payloads in the format of Temporal's samples: nonce, ciphertext, tag. Unencrypted payloads and those of older keys
 * stay readable. When a key is missing, `decode` throws an error with the setting, and Temporal retries the task.
 */
export function createPayloadCodec({ current, all }: PayloadKeys): PayloadCodec {
  const keys = new Map(all.map(({ id, key }) => [id, key]));
  return {
    encode: (payloads) => Promise.resolve(payloads.map((payload) => (current ? encrypted(payload, current) : payload))),
    // `async` makes the error of a missing key a rejection.
    // eslint-disable-next-line @typescript-eslint/require-await
    decode: async (payloads) =>
      payloads.map((payload) => (textOf(payload, 'encoding') === ENCRYPTED ? decrypted(payload, keys) : payload)),
  };
}

function encrypted(payload: Payload, { id, key }: PayloadKey): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  const data = Buffer.concat([
    nonce,
    cipher.update(PayloadMessage.encode(payload).finish()),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return { metadata: { encoding: Buffer.from(ENCRYPTED), [KEY_ID]: Buffer.from(id) }, data };
}

function decrypted(payload: Payload, keys: ReadonlyMap<string, Uint8Array>): Payload {
  const id = textOf(payload, KEY_ID);
  const key = keys.get(id);
  if (key === undefined)
    throw new Error(`PAYLOAD_KEYS: there is no key ${JSON.stringify(id)}, with which this was encrypted`);
  const data = payload.data ?? new Uint8Array();
  try {
    const decipher = createDecipheriv(ALGORITHM, key, data.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    const parts = [decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    return PayloadMessage.decode(Buffer.concat(parts));
  } catch {
    // Any client of Temporal can send a forged or truncated payload. It is refused like other unreadable input.
    return { metadata: { encoding: Buffer.from(UNREADABLE) }, data };
  }
}

function textOf({ metadata }: Payload, name: string): string {
  return new TextDecoder().decode(metadata?.[name] ?? undefined);
}
