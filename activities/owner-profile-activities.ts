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

export interface OwnerOfPost extends Pick<JobInput, 'version'> {
  readonly account: string;
  /** The record of the job that pays. The profile's job starts in the same version, so that the same workers support it. */
  readonly paidBy: string;
}

/** The profile of a post's owner, for the job that fetches the post. All activities are idempotent. */
export function createOwnerActivities({ records, files, isOpen }: OwnerDeps) {
  return {
    /** @returns the input of a job that fetches the profile; undefined if a fresh profile exists */
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
     * Polls once whether the job of a profile, for which another job pays, has ended. Until then it fails with a retry delay.
     */
    awaitOwnerProfile: async (subjectId: string): Promise<void> => {
      // The calling workflow's ID is the subject of the content.
      const { workflowExecution: caller } = Context.current().info;
      const content = caller && (await records.latestOf(caller.workflowId));
      if (content !== undefined) await records.leaveOutProfile(content.id);
      if (await isOpen(subjectId)) throw retryLater('upstream_timeout', "The owner's profile is being fetched.");
    },

    /** @returns whether the job fetched the profile, or was stopped after its request to the provider */
    hasFetchedProfile: async (recordId: string): Promise<boolean> => {
      const record = await records.get(recordId);
      if (record === undefined) return false;
      if (record.status === 'success') return true;
      // A pending record belongs to a terminated workflow.
      const isStopped = record.status === 'pending' || record.failure.code === 'cancelled';
      return isStopped && wasProviderCalled(record);
    },
  };
}
