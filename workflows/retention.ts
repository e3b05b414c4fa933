import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { RetentionActivities } from '../activities/retention.ts';

const { sweepFiles, sweepLeftovers } = proxyActivities<RetentionActivities>({
  // A page is some hundred looks into the database.
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '5 minutes' },
});

export interface RetentionInput {
  /** Files of downloads that ended earlier are removed. */
  readonly retentionDays: number;
  /** Where an earlier run stopped, and what it did. */
  readonly progress?: { readonly after: string; readonly summary: RetentionSummary };
}

/** How many files were looked at and removed. */
export interface RetentionSummary {
  readonly seen: number;
  readonly expired: number;
  readonly orphans: number;
}

/** Removes files that are too old, or that no record knows, and what dead attempts left; the records stay. */
export async function retention({ retentionDays, progress }: RetentionInput): Promise<RetentionSummary> {
  let summary = progress?.summary ?? { seen: 0, expired: 0, orphans: 0 };
  let after = progress?.after;
  do {
    const page = await sweepFiles({ retentionDays, ...(after === undefined ? {} : { after }) });
    summary = {
      seen: summary.seen + page.seen,
      expired: summary.expired + page.expired,
      orphans: summary.orphans + page.orphans,
    };
    after = page.next;
    if (after !== undefined && workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof retention>({ retentionDays, progress: { after, summary } });
    }
  } while (after !== undefined);
  await sweepLeftovers();
  return summary;
}
