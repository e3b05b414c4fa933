import { z } from 'zod';
import { MEMO_SPEECH, MEMO_WAITING, progressStages } from '../contract/job-input.ts';
import { percentOf } from '../runtime/percent.ts';
import type { Progress } from '../contract/http/fields.ts';

const COLLECTING = "The platform's data are being collected.";

export interface Waiting {
  readonly reason: string;
  readonly until?: string;
}

interface RunningWorkflow {
  readonly memo: Readonly<Record<string, unknown>> | undefined;
  readonly activities: readonly RunningActivity[];
  readonly queued?: Waiting | undefined;
  readonly isBetween?: boolean;
}

interface RunningActivity {
  readonly name: string | undefined;
  readonly heartbeat: unknown;
}

/** @returns the job for which a job waits, if it names one */
export function awaitedJobIn(memo: RunningWorkflow['memo']) {
  return awaitedSchema.safeParse(memo?.[MEMO_WAITING]).data?.job;
}

/** @returns the progress of a running job; undefined when the details of its heartbeat cannot be read */
export function progressOf({ memo, activities, queued, isBetween = false }: RunningWorkflow): Progress | undefined {
  // The file is published, and the record is about to become a success.
  if (activities.some(({ name }) => name === 'finishJob')) return { stage: 'publishing' };
  const waiting = waitingSchema.safeParse(memo?.[MEMO_WAITING]);
  if (waiting.success) return { stage: 'waiting', ...waiting.data };
  if (queued !== undefined) return { stage: 'waiting', ...queued };
  if (activities.some(({ name }) => name === 'collectSnapshot')) return { stage: 'fetching', reason: COLLECTING };
  const speech = speechSchema.safeParse(memo?.[MEMO_SPEECH]).data;
  if (speech?.stage === 'transcribing') return transcribing(speech, activities);
  // Most jobs have one long activity. After it the file is published, and the record is about to become a success.
  if (isBetween && speech === undefined) return { stage: 'publishing' };
  const reported = toProgress(
    activities.find(({ heartbeat }) => heartbeat !== undefined)?.heartbeat ?? { stage: 'waiting' },
  );
  // An activity reports `waiting` before it begins; the workflow knows the reason.
  return speech?.stage === 'diarizing' && reported?.stage === 'waiting' ? { stage: speech.stage } : reported;
}

/**
 * The windows of an audio are transcribed concurrently: each activity reports its own progress, and the workflow the number of
 * finished windows. While none is running, the percentage is omitted, because it would fall.
 */
function transcribing({ done, windows }: Windows, activities: readonly RunningActivity[]): Progress {
  const running = activities
    .filter(({ name }) => name === 'transcribeWindow')
    .map(({ heartbeat }) => beatSchema.safeParse(heartbeat).data?.percent ?? 0);
  const sum = running.reduce((total, percent) => total + percent, done * 100);
  const isKnown = windows > 0 && (running.length > 0 || done >= windows);
  const percent = isKnown ? percentOf(sum / windows / 100) : undefined;
  return { stage: 'transcribing', percent, items: done, total_items: windows };
}

const waitingSchema = z.object({ reason: z.string().optional(), until: z.string().optional() });
const awaitedSchema = z.object({ job: z.object({ subjectId: z.string(), recordId: z.string() }) });
const speechSchema = z.discriminatedUnion('stage', [
  z.object({ stage: z.enum(['preparing', 'diarizing']) }),
  z.object({
    stage: z.literal('transcribing'),
    done: z.number().int().nonnegative(),
    windows: z.number().int().nonnegative(),
  }),
]);
type Windows = z.infer<typeof speechSchema> & { readonly stage: 'transcribing' };
const beatSchema = z.object({
  stage: z.enum(progressStages),
  percent: z.number().optional(),
  bytes: z.number().optional(),
  totalBytes: z.number().optional(),
  items: z.number().optional(),
  totalItems: z.number().optional(),
});

function toProgress(beat: unknown): Progress | undefined {
  const parsed = beatSchema.safeParse(beat);
  if (!parsed.success) return undefined;
  const { stage, percent, bytes, totalBytes, items, totalItems } = parsed.data;
  return { stage, percent, downloaded_bytes: bytes, total_bytes: totalBytes, items, total_items: totalItems };
}
