import { defineSearchAttributeKey } from '@temporalio/common';
import {
  ApplicationFailure,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { z } from 'zod';
import type { RetentionActivities, RetentionSummary } from '../activities/retention.ts';
import type { keepDaysSchema, removalSchema } from '../runtime/inputs/input-fields.ts';
import { optional } from '../runtime/optional.ts';
import { retentionScheduleId } from '../runtime/temporal/task-queues.ts';

const retry = { initialInterval: '1 second', maximumInterval: '5 minutes' } as const;
// A page is some hundred looks into the database.
const { sweepFiles, sweepLeftovers } = proxyActivities<RetentionActivities>({
  startToCloseTimeout: '10 minutes',
  retry,
});
// A failed download may have a thousand documents, and is removed with all of them.
const { sweepKept } = proxyActivities<RetentionActivities>({
  startToCloseTimeout: '4 hours',
  heartbeatTimeout: '1 minute',
  retry,
});

type KeepDays = z.infer<typeof keepDaysSchema>;
type Kind = keyof KeepDays;

export interface RetentionInput extends Partial<z.infer<typeof removalSchema>> {
  /** For how long what is kept beside the files stays; what is not named stays for ever. */
  readonly keepDays?: KeepDays;
  /** Where an earlier run stopped, and what it did. Without a kind: among the files. */
  readonly progress?: { readonly kind?: Kind; readonly after?: string; readonly summary: Summary };
  /** Events after which a new run takes over; by default as many as the server suggests. */
  readonly maxEvents?: number;
}

/** What became of the files, and how many documents were removed of each kind. */
type Summary = RetentionSummary & { readonly removed?: Readonly<Partial<Record<Kind, number>>> };

/** What the server notes on a run that a schedule has started. */
const SCHEDULED_BY = defineSearchAttributeKey('TemporalScheduledById', 'KEYWORD');

/**
 * Removes files that are too old, or that no record knows, and what dead attempts left; then what is kept beside the files. The
 * records of successes stay.
 *
 * @throws ApplicationFailure when neither the schedule of this queue has started it nor anybody confirmed it
 */
export async function retention(input: RetentionInput): Promise<Summary> {
  const { retentionDays, keepDays = {}, confirmedBy, progress } = input;
  if (confirmedBy === undefined && !isScheduled()) throw unconfirmed();
  let summary = progress?.summary ?? { seen: 0, expired: 0, orphans: 0 };
  if (progress?.kind === undefined && retentionDays !== undefined) {
    let after = progress?.after;
    do {
      setCurrentDetails(
        `Files so far: ${summary.seen} seen, ${summary.expired} too old, ${summary.orphans} of no record.`,
      );
      const page = await sweepFiles({
        retentionDays,
        ...optional('confirmedBy', confirmedBy),
        ...optional('after', after),
      });
      summary = {
        seen: summary.seen + page.seen,
        expired: summary.expired + page.expired,
        orphans: summary.orphans + page.orphans,
      };
      after = page.next;
      if (after !== undefined && isLong(input)) {
        await continueAsNew<typeof retention>({ ...input, progress: { after, summary } });
      }
    } while (after !== undefined);
    setCurrentDetails('Removing what dead attempts have left.');
    await sweepLeftovers();
  }
  return sweepAllKept(input, keepDays, summary);
}

async function sweepAllKept(input: RetentionInput, keepDays: KeepDays, before: Summary): Promise<Summary> {
  const { confirmedBy, progress } = input;
  let summary = before;
  const kinds = (Object.keys(keepDays) as Kind[]).sort();
  for (const kind of kinds.slice(progress?.kind === undefined ? 0 : kinds.indexOf(progress.kind))) {
    const days = keepDays[kind];
    let after = progress?.kind === kind ? progress.after : undefined;
    while (days !== undefined) {
      setCurrentDetails(`Removing ${kind} of more than ${days} days.`);
      const page = await sweepKept({
        kind,
        days,
        ...optional('confirmedBy', confirmedBy),
        ...optional('after', after),
      });
      summary = {
        ...summary,
        removed: { ...summary.removed, [kind]: (summary.removed?.[kind] ?? 0) + page.removed },
      };
      after = page.next;
      if (after === undefined) break;
      if (isLong(input)) await continueAsNew<typeof retention>({ ...input, progress: { kind, after, summary } });
    }
  }
  return summary;
}

function isScheduled(): boolean {
  const { typedSearchAttributes, taskQueue } = workflowInfo();
  return typedSearchAttributes.get(SCHEDULED_BY) === retentionScheduleId(taskQueue);
}

function isLong({ maxEvents = Infinity }: RetentionInput): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength >= maxEvents;
}

function unconfirmed(): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    'Nothing was removed: this run was not started by the schedule of its task queue, and nobody has confirmed it (confirmedBy).',
    'unconfirmed',
  );
}
