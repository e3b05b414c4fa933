import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';

/**
 * Reads what comes into workflows, as the SDK does. What cannot be read at all is undefined, and so refused as input: the
 * SDK throws, and a workflow that was sent one such signal would try that again for ever.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload: ((payload) => {
    try {
      return defaultPayloadConverter.fromPayload(payload);
    } catch {
      return undefined;
    }
  }) as PayloadConverter['fromPayload'],
};
