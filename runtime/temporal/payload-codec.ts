import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { ENCRYPTED, UNREADABLE } from './payload-encodings.ts';

export interface PayloadKey {
  /** Stands beside what it has encrypted. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/** What payloads are read with, and with which of them new ones are written; none: in clear. */
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
 * Encrypts what goes to Temporal, in the form of Temporal's own samples: nonce, ciphertext, tag. What was written in clear, or with
 * an older key, is read as before.
 *
 * @throws Error (when it decodes) naming the setting where the key is missing: what waits for it is tried again
 */
export function createPayloadCodec({ current, all }: PayloadKeys): PayloadCodec {
  const keys = new Map(all.map(({ id, key }) => [id, key]));
  return {
    // An array in, an array out, as the SDK has it.
    encode: (payloads) => Promise.resolve(payloads.map((payload) => (current ? encrypted(payload, current) : payload))),
    // Async, so that a missing key is a rejection.
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
    // Forged, or cut: whoever reaches Temporal can send that. It is refused like anything else that cannot be read.
    return { metadata: { encoding: Buffer.from(UNREADABLE) }, data };
  }
}

function textOf({ metadata }: Payload, name: string): string {
  return new TextDecoder().decode(metadata?.[name] ?? undefined);
}
