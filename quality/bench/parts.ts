import type { Part } from './part.ts';
import { accept } from './parts/accept.ts';
import { batches } from './parts/batches.ts';
import { counts } from './parts/counts.ts';
import { hostile } from './parts/hostile.ts';
import { jobs } from './parts/jobs.ts';
import { memory } from './parts/memory.ts';
import { oneJob } from './parts/one-job.ts';
import { reads } from './parts/reads.ts';
import { scale } from './parts/scale.ts';
import { speech } from './parts/speech.ts';
import { start } from './parts/start.ts';
import { webhook } from './parts/webhook.ts';

export const PARTS: Readonly<Record<string, Part>> = {
  jobs,
  'one-job': oneJob,
  batches,
  accept,
  reads,
  webhook,
  counts,
  start,
  speech,
  scale,
  memory,
  hostile,
};
