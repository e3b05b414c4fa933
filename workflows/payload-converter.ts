import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';
import { ENCRYPTED } from '../runtime/temporal/payload-encodings.ts';

/**
 * Reads what comes into workflows, as the SDK does. What cannot be read at all is undefined, and so refused as input: the
 * SDK throws, and a workflow that was sent one such signal would try that again for ever. But what is encrypted waits for a worker that has the key.
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
