import { defineSearchAttributeKey } from '@temporalio/common';
import {
  ApplicationFailure,
  continueAsNew,
  patched,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { z } from 'zod';
import type { RetentionActivities, RetentionSummary } from '../activities/retention.ts';
import type { removalSchema } from '../runtime/inputs/parts.ts';
import { optional } from '../runtime/optional.ts';
import { retentionScheduleId } from '../runtime/task-queues.ts';

const { sweepFiles, sweepLeftovers } = proxyActivities<RetentionActivities>({
  // A page is some hundred looks into the database.
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
});

export interface RetentionInput extends z.infer<typeof removalSchema> {
  /** Where an earlier run stopped, and what it did. */
  readonly progress?: { readonly after: string; readonly summary: RetentionSummary };
  /** Events after which a new run takes over; by default as many as the server suggests. */
  readonly maxEvents?: number;
}

/** What the server notes on a run that a schedule has started. */
const SCHEDULED_BY = defineSearchAttributeKey('TemporalScheduledById', 'KEYWORD');

/**
 * Removes files that are too old, or that no record knows, and what dead attempts left; the records stay.
 *
 * @throws ApplicationFailure when neither the schedule of this queue has started it nor anybody confirmed it
 */
export async function retention(input: RetentionInput): Promise<RetentionSummary> {
  const { retentionDays, confirmedBy, progress } = input;
  // A run of an earlier version has begun without such a question.
  if (confirmedBy === undefined && patched('retention-confirmed') && !isScheduled()) throw unconfirmed();
  let summary = progress?.summary ?? { seen: 0, expired: 0, orphans: 0 };
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
