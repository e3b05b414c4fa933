import { downloadOperations } from './operations/downloads.ts';
import { imgnetOperations } from './operations/imgnet.ts';
import { serviceOperations } from './operations/service.ts';
import { speakerLabelOperations } from './operations/speaker-labels.ts';
import { vidnetOperations } from './operations/vidnet.ts';

/** All operations. The routes, the tRPC procedures and the OpenAPI document are all made from this table. */
export const operations = {
  ...downloadOperations,
  ...vidnetOperations,
  ...speakerLabelOperations,
  ...imgnetOperations,
  ...serviceOperations,
} as const;
