import type { Collection, Db } from 'mongodb';
import type { ListParameters } from '../../contract/kinds/imgnet-list-job.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { otherListPartOf } from '../../contract/kinds/subjects.ts';
import { optional } from '../../runtime/optional.ts';
import type { RecordStore } from './record-store.ts';
import { upsertOne } from '../mongo/upsert.ts';

export interface ListName {
  readonly listId: string;
  /** `max_age_days`; undefined for everything. */
  readonly days: number | undefined;
}

export interface RequestedList {
  /** Milliseconds since 1970. */
  readonly requestedAtMs: number;
  /** The time of the oldest items, in ISO 8601 UTC; absent for everything. Polls of the list keep it, and so find its jobs. */
  readonly since?: string;
}

interface ListDocument extends Partial<RequestedList> {
  /** A `list_id`, or a `list_id` with the days of a list. */
  _id: string;
  handedOutAtMs?: number;
}

export type ListStore = ReturnType<typeof createListStore>;

export function createListStore(
  db: Db,
  { records, now }: { readonly records: Pick<RecordStore, 'get' | 'latestOf'>; readonly now: () => number },
) {
  const lists: Collection<ListDocument> = db.collection('lists');
  const get = async (name: ListName): Promise<RequestedList | undefined> => {
    const { requestedAtMs, since } = (await lists.findOne({ _id: idOf(name) })) ?? {};
    return requestedAtMs === undefined ? undefined : { requestedAtMs, ...optional('since', since) };
  };
  return {
    async handOut(listId: string): Promise<void> {
      await upsertOne(lists, listId, { $set: { handedOutAtMs: now() } });
    },
    handedOutAtMs: async (listId: string) => (await lists.findOne({ _id: listId }))?.handedOutAtMs,
    get,
    /** Replaces `before`, unless another process has replaced it. @returns the stored list */
    async begin(name: ListName, list: RequestedList, before: RequestedList | undefined): Promise<RequestedList> {
      const _id = idOf(name);
      if (before === undefined) await upsertOne(lists, _id, { $setOnInsert: list });
      else await lists.updateOne({ _id, requestedAtMs: before.requestedAtMs }, { $set: list });
      return (await get(name)) ?? list;
    },
    /**
     * @returns the other part of a list: the job that was planned when this part was accepted, or the newest one when the
     *   planned job has failed or another process started one earlier. Until it has started, a pending record represents it.
     */
    async otherPart(record: DownloadRecord): Promise<DownloadRecord> {
      const other = otherListPartOf(record);
      if (other === undefined) throw new Error(`record ${record.id} is no part of a list`);
      const { otherId } = (record.parameters ?? {}) as Partial<ListParameters>;
      const planned = otherId === undefined ? undefined : await records.get(otherId);
      if (planned !== undefined && planned.status !== 'failed') return planned;
      const newest = (await records.latestOf(other.subjectId)) ?? planned;
      const { mediaId, createdAt, price, startedBy } = record;
      return newest ?? { mediaId, createdAt, price, startedBy, status: 'pending', ...other, id: otherId ?? record.id };
    },
  };
}

function idOf({ listId, days }: ListName): string {
  return `${listId}/${days === undefined ? 'all' : String(days)}`;
}
