import { DefaultFailureConverter } from '@temporalio/common';

/** Puts the texts of failures where the codec encrypts them. Only where payloads are encrypted: elsewhere people read them. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
