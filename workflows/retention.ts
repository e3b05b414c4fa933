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
// A page takes some hundred database queries.
const { sweepFiles, sweepLeftovers } = proxyActivities<RetentionActivities>({
  startToCloseTimeout: '10 minutes',
  retry,
});
// A failed download with a thousand documents is removed at once.
const { sweepKept } = proxyActivities<RetentionActivities>({
  startToCloseTimeout: '4 hours',
  heartbeatTimeout: '1 minute',
  retry,
});

type KeepDays = z.infer<typeof keepDaysSchema>;
type Kind = keyof KeepDays;

export interface RetentionInput extends Partial<z.infer<typeof removalSchema>> {
  /** How many days data beside the files is kept. A kind that is not listed is kept forever. */
  readonly keepDays?: KeepDays;
  /** The position of an earlier run, and its summary. Without a kind, the run was at the files. */
  readonly progress?: { readonly kind?: Kind; readonly after?: string; readonly summary: Summary };
  /** The number of events after which a new run takes over. Default: the server's suggestion. */
  readonly maxEvents?: number;
}

/** The numbers of files, and of removed documents of each kind. */
type Summary = RetentionSummary & { readonly removed?: Readonly<Partial<Record<Kind, number>>> };

/** The server sets this attribute on workflows that a schedule starts. */
const SCHEDULED_BY = defineSearchAttributeKey('TemporalScheduledById', 'KEYWORD');

/**
 * Removes files that are too old or belong to no record, the remains of attempts whose worker died, and then other data. The
 * records of successes are kept.
 *
 * @throws ApplicationFailure unless the schedule of the task queue started the workflow, or `confirmedBy` names a person
 */
export async function retention(input: RetentionInput): Promise<Summary> {
  const { retentionDays, keepDays = {}, confirmedBy, progress } = input;
  if (confirmedBy === undefined && !isScheduled())
    throw ApplicationFailure.nonRetryable(
      'Nothing was removed: this run was not started by the schedule of its task queue, and no operator has confirmed it (confirmedBy).',
      'unconfirmed',
    );
  const confirmed = optional('confirmedBy', confirmedBy);
  let summary: Summary = progress?.summary ?? { seen: 0, expired: 0, orphans: 0 };

  /** Sweeps page by page; a new run takes over when the history is long. */
  const sweepPages = async (
    kind: Kind | undefined,
    sweep: (from: { readonly after?: string }) => Promise<{ readonly next?: string }>,
  ): Promise<void> => {
    let after = progress?.kind === kind ? progress?.after : undefined;
    do {
      after = (await sweep(optional('after', after))).next;
      if (after !== undefined && isLong(input))
        await continueAsNew<typeof retention>({ ...input, progress: { ...optional('kind', kind), after, summary } });
    } while (after !== undefined);
  };

  if (progress?.kind === undefined && retentionDays !== undefined) {
    await sweepPages(undefined, async (from) => {
      const { seen, expired, orphans } = summary;
      setCurrentDetails(`Files so far: ${seen} seen, ${expired} too old, ${orphans} of no record.`);
      const page = await sweepFiles({ retentionDays, ...confirmed, ...from });
      summary = { seen: seen + page.seen, expired: expired + page.expired, orphans: orphans + page.orphans };
      return page;
    });
    setCurrentDetails('Removing the remains of attempts whose worker died.');
    await sweepLeftovers();
  }

  const kinds = (Object.keys(keepDays) as Kind[]).sort();
  for (const kind of kinds.slice(progress?.kind === undefined ? 0 : kinds.indexOf(progress.kind))) {
    const days = keepDays[kind];
    if (days === undefined) continue;
    await sweepPages(kind, async (from) => {
      setCurrentDetails(`Removing ${kind} of more than ${days} days.`);
      const page = await sweepKept({ kind, days, ...confirmed, ...from });
      const removed = (summary.removed?.[kind] ?? 0) + page.removed;
      summary = { ...summary, removed: { ...summary.removed, [kind]: removed } };
      return page;
    });
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
