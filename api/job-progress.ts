import { z } from 'zod';
import { MEMO_SPEECH, progressStages } from '../contract/jobs.ts';
import { optional } from '../runtime/optional.ts';
import { MEMO_WAITING } from '../runtime/pacing.ts';
import type { Progress } from '../contract/fields.ts';

/** While a snapshot is collected nothing else is known. */
const COLLECTING = "The platform's data are being collected.";

/** What Temporal tells of a running workflow, as far as it is needed here. */
export interface RunningWorkflow {
  readonly memo: Readonly<Record<string, unknown>> | undefined;
  readonly activities: readonly RunningActivity[];
}

/** An activity that runs or waits for a worker; `heartbeat` is what it last reported. */
interface RunningActivity {
  readonly name: string | undefined;
  readonly heartbeat: unknown;
}

/** What a running job does, by its memo and its activities; undefined when what it reports cannot be read. */
export function progressOf({ memo, activities }: RunningWorkflow): Progress | undefined {
  // The file is published; its record is about to say so.
  if (activities.some(({ name }) => name === 'finishJob')) return { stage: 'publishing' };
  const waiting = waitingSchema.safeParse(memo?.[MEMO_WAITING]);
  if (waiting.success) return { stage: 'waiting', ...waiting.data };
  if (activities.some(({ name }) => name === 'awaitSnapshot')) return { stage: 'fetching', reason: COLLECTING };
  const speech = speechSchema.safeParse(memo?.[MEMO_SPEECH]).data;
  if (speech?.stage === 'transcribing') return transcribing(speech, activities);
  const reported = toProgress(
    activities.find(({ heartbeat }) => heartbeat !== undefined)?.heartbeat ?? { stage: 'waiting' },
  );
  // An activity says `waiting` before it has begun; the workflow knows what for.
  return speech?.stage === 'diarizing' && reported?.stage === 'waiting' ? { stage: speech.stage } : reported;
}

/**
 * The windows of an audio are transcribed side by side: each tells its own share, and the workflow how many are done.
 * While none runs, the last ones have ended and are not counted yet, or wait for a server: the share would only fall.
 */
function transcribing({ done, windows }: Windows, activities: readonly RunningActivity[]): Progress {
  const running = activities
    .filter(({ name }) => name === 'transcribeWindow')
    .map(({ heartbeat }) => beatSchema.safeParse(heartbeat).data?.percent ?? 0);
  const sum = running.reduce((total, percent) => total + percent, done * 100);
  return {
    stage: 'transcribing',
    ...(windows === 0 || (running.length === 0 && done < windows)
      ? {}
      : { percent: Math.min(100, Math.round((sum / windows) * 10) / 10) }),
    items: done,
    total_items: windows,
  };
}

const waitingSchema = z.object({ reason: z.string().optional(), until: z.string().optional() });
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
  return {
    stage,
    ...optional('percent', percent),
    ...optional('downloaded_bytes', bytes),
    ...optional('total_bytes', totalBytes),
    ...optional('items', items),
    ...optional('total_items', totalItems),
  };
}
