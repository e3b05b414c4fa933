import { setTimeout as delay } from 'node:timers/promises';
import { renderBatch, type BatchEvent } from '../../contract/batches/batch-answers.ts';
import { isEnded, type StoredBatch } from '../../contract/batches/batch-state.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import { BATCH_PIECE_ITEMS } from '../../contract/request-limits.ts';
import type { EventsAnswer, StreamedEvent } from '../operations/operation.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { currentBatch, itemAnswerOf, ownBatch, storedItems, type OneBatch, type StoredItem } from './batches.ts';

/** A batch is read as often as a job that somebody follows. */
const READ_EVERY_MS = 1_000;
/** The most items in one event. Their records are read for it. */
const ENDS_PER_EVENT = 100;

/**
 * GET /api/batches/{batchId}/events: the batch at each change, with the items that have ended since the event before. The first
 * event has no items. A reader that reconnects receives each end since its last event once.
 */
export async function followBatch(
  deps: ServiceDeps,
  caller: Caller,
  { batch_id: id, lastEventId = '' }: OneBatch & { readonly lastEventId?: string | undefined },
): Promise<EventsAnswer<BatchEvent>> {
  const found = await ownBatch(deps, caller, id);
  const known = KnownEnds.from(lastEventId, found);
  if (isEnded(found) && known?.eventId(found) === lastEventId) return { events: undefined };
  return { events: (left) => ({ stream: changesOf(deps, found, { known, left }) }) };
}

async function* changesOf(
  deps: ServiceDeps,
  found: StoredBatch,
  { known: last, left }: { readonly known: KnownEnds | undefined; readonly left: AbortSignal },
): AsyncGenerator<StreamedEvent<BatchEvent>> {
  const over = AbortSignal.any([left, deps.stopping]);
  let known = last;
  let sent = '';
  for (let batch = found; ; batch = (await deps.batches.get(found.id)) ?? batch) {
    batch = await currentBatch(deps, batch);
    let ended: StoredItem[] = [];
    if (known?.end === batch.end) {
      ended = await known.newEnds(deps, batch, ENDS_PER_EVENT);
    } else {
      known = new KnownEnds(batch.end);
      await known.newEnds(deps, batch, Infinity);
    }
    const { status, counts, spent, pause, maxCost } = batch;
    const state = JSON.stringify([status, counts, spent, pause, maxCost]);
    if (ended.length > 0 || state !== sent) {
      const items = await Promise.all(ended.map((item) => itemAnswerOf(deps, item)));
      yield { id: known.eventId(batch), body: { batch: renderBatch(batch, deps.rendering), ended: items } };
    }
    sent = state;
    if (ended.length === ENDS_PER_EVENT) continue;
    if (isEnded(batch)) return;
    await delay(READ_EVERY_MS, undefined, { signal: over });
  }
}

const EVENT_ID = /^(\d{1,6})-\w+-(\d{1,5})-([\w-]{0,2000})$/;

/** The items whose ends a reader has received, since the batch was started or retried. They are part of each event's ID. */
class KnownEnds {
  readonly end: number;
  /** All items with lower numbers have ended. */
  #first = 0;
  readonly #others = new Set<number>();

  constructor(end: number) {
    this.end = end;
  }

  /** @returns undefined without a valid ID of this batch */
  static from(eventId: string, batch: StoredBatch): KnownEnds | undefined {
    const [, end, first, bits = ''] = EVENT_ID.exec(eventId) ?? [];
    if (Number(end) !== batch.end) return undefined;
    const known = new KnownEnds(batch.end);
    known.#first = Number(first);
    for (const [index, byte] of Buffer.from(bits, 'base64url').entries()) {
      for (let bit = 0; bit < 8; bit += 1) if ((byte >> bit) & 1) known.#others.add(known.#first + index * 8 + bit);
    }
    return known;
  }

  eventId({ status }: StoredBatch): string {
    const bytes = Buffer.alloc(Math.ceil((Math.max(this.#first, ...this.#others) - this.#first + 1) / 8));
    for (const number of this.#others) {
      const bit = number - this.#first;
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
    return `${String(this.end)}-${status}-${String(this.#first)}-${this.#others.size === 0 ? '' : bytes.toString('base64url')}`;
  }

  /** @returns ends that the reader has not received, at most `most` of them, which count as received from now on */
  async newEnds(deps: ServiceDeps, batch: StoredBatch, most: number): Promise<StoredItem[]> {
    const ended: StoredItem[] = [];
    let waiting = 0;
    for await (const item of storedItems(deps, batch, this.#first)) {
      const { number, progress } = item;
      waiting = progress === undefined ? waiting + 1 : 0;
      // Items start in their order, so the rest waits too.
      if (ended.length === most || waiting > BATCH_PIECE_ITEMS) break;
      if (progress === undefined || progress.state === 'running' || this.#others.has(number)) continue;
      this.#others.add(number);
      ended.push(item);
    }
    while (this.#others.delete(this.#first)) this.#first += 1;
    return ended;
  }
}
