import { DefaultFailureConverter } from '@temporalio/common';

/** Encodes the texts of failures, so that the codec encrypts them. It is used only with encrypted payloads. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
