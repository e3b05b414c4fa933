import type { Collection, Db } from 'mongodb';
import { WEBHOOKS_PER_HOST_MAX, WEBHOOKS_PER_JOB_MAX } from '../contract/limits.ts';
import { receiverHostOf } from '../contract/webhooks.ts';
import { upsertOne } from './upsert.ts';

/** Where somebody wants to be told of a job's end. */
export interface Receiver {
  /** Who asks for it: what shares a limit, such as a key. Without line breaks. */
  readonly caller: string;
  readonly url: string;
}

/** `told`: the job knows the receiver; `free`: it has a place, and the job is to be told; otherwise what is full. */
export type ReceiverPlace = 'told' | 'free' | 'full for the job' | 'full for the host';

interface ReceiversDocument {
  /** The record of the job. */
  _id: string;
  /** In the order in which they came, which decides who has a place: so nobody has to change two things at once. */
  asked?: readonly string[];
  told?: readonly string[];
  /** URLs of those who came when the job had ended. */
  late?: readonly string[];
}

/** The receivers of each job, as all processes of the api see them. */
export type ReceiverStore = ReturnType<typeof createReceiverStore>;

export function createReceiverStore(db: Db) {
  const receivers: Collection<ReceiversDocument> = db.collection('receivers');
  return {
    /**
     * Gives a receiver its place, unless the job, or this caller with this host, has as many as there may be. May be repeated.
     *
     * @param first the one that the job was started with, which stands in its record
     */
    async claim(recordId: string, receiver: Receiver, first?: Receiver): Promise<ReceiverPlace> {
      const entry = entryOf(receiver);
      const before = first === undefined ? [] : [entryOf(first)];
      if (before.includes(entry)) return 'told';
      const known = await receivers.findOne({ _id: recordId });
      if (known?.told?.includes(entry) === true) return 'told';
      // What has no place leaves no trace, so that a flood does not grow the document.
      const place = placeOf(entry, [...before, ...(known?.asked ?? [])]);
      if (place !== 'free') return place;
      const { asked = [] } = await upsertOne(receivers, recordId, { $addToSet: { asked: entry } });
      return placeOf(entry, [...before, ...asked]);
    },
    /** Notes that the job knows a receiver, which takes a place where it has none. */
    async noteTold(recordId: string, receiver: Receiver): Promise<void> {
      const entry = entryOf(receiver);
      await upsertOne(receivers, recordId, { $addToSet: { asked: entry, told: entry } });
    },
    /**
     * Notes that a URL was asked for when the job had ended.
     *
     * @param firstUrl of the receiver that the job was started with
     * @returns its number among those, counted from 1 and always the same; undefined when it was told, whoever asked
     */
    async lateNumberOf(recordId: string, url: string, firstUrl?: string): Promise<number | undefined> {
      if (url === firstUrl) return undefined;
      const known = await receivers.findOne({ _id: recordId });
      if (known?.told?.some((entry) => entry.endsWith(`\n${url}`)) === true) return undefined;
      const { late = [] } = await upsertOne(receivers, recordId, { $addToSet: { late: url } });
      return late.indexOf(url) + 1;
    },
  };
}

/** @param entries those before it count; it may be among them */
function placeOf(entry: string, entries: readonly string[]): Exclude<ReceiverPlace, 'told'> {
  const ofHosts = new Map<string, number>();
  let ofJob = 0;
  for (const one of [...entries, entry]) {
    const key = hostKeyOf(one);
    const ofHost = ofHosts.get(key) ?? 0;
    const isFull = ofJob >= WEBHOOKS_PER_JOB_MAX ? 'full for the job' : undefined;
    const place = isFull ?? (ofHost >= WEBHOOKS_PER_HOST_MAX ? 'full for the host' : 'free');
    if (one === entry) return place;
    if (place !== 'free') continue;
    ofJob += 1;
    ofHosts.set(key, ofHost + 1);
  }
  return 'free';
}

function entryOf({ caller, url }: Receiver): string {
  return `${caller}\n${url}`;
}

function hostKeyOf(entry: string): string {
  const [caller = '', url = ''] = entry.split('\n');
  return `${caller}\n${receiverHostOf(url)}`;
}
