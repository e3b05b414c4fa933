import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';
import { ENCRYPTED } from '../runtime/temporal/payload-encodings.ts';

/**
 * Converts payloads as the SDK does, except that an unreadable input becomes undefined, which workflows refuse: an error would make
 * Temporal retry the workflow task forever. An encrypted input still fails, so that it waits for a worker that has the key.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload: ((payload) => {
    try {
      return defaultPayloadConverter.fromPayload(payload);
    } catch (error) {
      const encoding = payload.metadata?.['encoding'];
      const isEncrypted = encoding?.length === ENCRYPTED.length && String.fromCharCode(...encoding) === ENCRYPTED;
      if (isEncrypted) throw error;
      return undefined;
    }
  }) as PayloadConverter['fromPayload'],
};
