import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';

/**
 * Reads what comes into workflows, as the SDK does. What cannot be read at all is undefined, and so refused as input: the
 * SDK throws, and a workflow that was sent one such signal would try that again for ever.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload<Value>(payload: Parameters<PayloadConverter['fromPayload']>[0]): Value {
    try {
      return defaultPayloadConverter.fromPayload<Value>(payload);
    } catch {
      return undefined as Value;
    }
  },
};
