import { Context } from '@temporalio/activity';
import { ulid } from 'ulid';
import { wasProviderCalled } from '../contract/kinds/charges.ts';
import type { JobInput } from '../contract/job-input.ts';
import { subjectIdOf } from '../contract/kinds/subjects.ts';
import { nowMicroseconds } from '../store/mongo/clock.ts';
import type { FileStore } from '../store/files/file-store.ts';
import type { RecordStore } from '../store/records/record-store.ts';
import { isReusable } from '../store/records/is-reusable.ts';
import { retryLater } from './retry-later.ts';

export interface OwnerDeps {
  readonly records: RecordStore;
  readonly files: FileStore;
  /** Whether a workflow with this ID is open. */
  readonly isOpen: (workflowId: string) => Promise<boolean>;
}

/** Whose profile is wanted, and by which job. */
export interface OwnerOfPost extends Pick<JobInput, 'version'> {
  readonly account: string;
  /** Record of that job. The job of the profile starts with the same version, so that the same workers know its steps. */
  readonly paidBy: string;
}

export type OwnerActivities = ReturnType<typeof createOwnerActivities>;

/** The profile of a post's owner, for the job that fetches the post. All may be repeated at will. */
export function createOwnerActivities({ records, files, isOpen }: OwnerDeps) {
  return {
    /** @returns the job that would fetch the profile, charged with the given record; undefined when it is there and fresh */
    planOwnerProfile: async (owner: OwnerOfPost): Promise<JobInput | undefined> => {
      const subjectId = subjectIdOf('imgnet_profile', owner.account);
      const success = await records.successOf(subjectId);
      if (success !== undefined && (await isReusable(success, files))) {
        await records.leaveOutProfile(owner.paidBy);
        return undefined;
      }
      return {
        version: owner.version,
        recordId: ulid(),
        type: 'imgnet_profile',
        subjectId,
        mediaId: owner.account,
        createdAt: nowMicroseconds(),
        price: 0,
        parameters: { paidBy: owner.paidBy },
        startedBy: 'job',
      };
    },

    /**
     * Asks once whether the job of a profile has ended, which another one fetches and pays; while it has not, fails in a way
     * that Temporal asks again.
     */
    awaitOwnerProfile: async (subjectId: string): Promise<void> => {
      // Who asks is the job of a content, whose workflow has the ID of its subject.
      const { workflowExecution: asker } = Context.current().info;
      const content = asker && (await records.latestOf(asker.workflowId));
      if (content !== undefined) await records.leaveOutProfile(content.id);
      if (await isOpen(subjectId)) throw retryLater('upstream_timeout', "The owner's profile is being fetched.");
    },

    /** @returns whether that very job fetched the profile, or was stopped after the provider had been asked for it */
    hasFetchedProfile: async (recordId: string): Promise<boolean> => {
      const record = await records.get(recordId);
      if (record === undefined) return false;
      if (record.status === 'success') return true;
      // Pending: its workflow was terminated, and nobody has ended the record yet.
      const isStopped = record.status === 'pending' || record.failure.code === 'cancelled';
      return isStopped && wasProviderCalled(record);
    },
  };
}
