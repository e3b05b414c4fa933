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
  const known = knownBy(lastEventId, found);
  if (isEnded(found) && known && eventIdOf(known, found) === lastEventId) return { events: undefined };
  return { events: (left) => ({ stream: changesOf(deps, found, { known, left }) }) };
}

async function* changesOf(
  deps: ServiceDeps,
  found: StoredBatch,
  { left, ...last }: { readonly known: KnownEnds | undefined; readonly left: AbortSignal },
): AsyncGenerator<StreamedEvent<BatchEvent>> {
  const over = AbortSignal.any([left, deps.stopping]);
  let { known } = last;
  let sent = '';
  for (let batch = found; ; batch = (await deps.batches.get(found.id)) ?? batch) {
    batch = await currentBatch(deps, batch);
    let ended: StoredItem[] = [];
    if (known?.end === batch.end) {
      ended = await newEnds(deps, batch, { known, most: ENDS_PER_EVENT });
    } else {
      known = { end: batch.end, first: 0, bits: 0n };
      await newEnds(deps, batch, { known, most: Infinity });
    }
    const { status, counts, spent, pause, maxCost } = batch;
    const state = JSON.stringify([status, counts, spent, pause, maxCost]);
    if (ended.length > 0 || state !== sent) {
      const items = await Promise.all(ended.map((item) => itemAnswerOf(deps, item)));
      yield { id: eventIdOf(known, batch), body: { batch: renderBatch(batch, deps.rendering), ended: items } };
    }
    sent = state;
    if (ended.length === ENDS_PER_EVENT) continue;
    if (isEnded(batch)) return;
    await delay(READ_EVERY_MS, undefined, { signal: over });
  }
}

const EVENT_ID = /^(\d{1,6})-\w+-(\d{1,5})-([\da-f]{1,2500})$/;

/** The items whose ends a reader has received, since the batch was started or retried. They are part of each event's ID. */
interface KnownEnds {
  readonly end: number;
  /** All items with lower numbers have ended. */
  first: number;
  /** A bit for each item from there on, which is set if the item has ended. */
  bits: bigint;
}

/** @returns undefined without a valid ID of this batch */
function knownBy(eventId: string, { end }: StoredBatch): KnownEnds | undefined {
  const [, of, first, bits = ''] = EVENT_ID.exec(eventId) ?? [];
  return Number(of) === end ? { end, first: Number(first), bits: BigInt(`0x${bits}`) } : undefined;
}

function eventIdOf({ end, first, bits }: KnownEnds, { status }: StoredBatch): string {
  return `${String(end)}-${status}-${String(first)}-${bits.toString(16)}`;
}

/** @returns ends that the reader has not received, at most `most` of them, which count as received from now on */
async function newEnds(
  deps: ServiceDeps,
  batch: StoredBatch,
  { known, most }: { readonly known: KnownEnds; readonly most: number },
): Promise<StoredItem[]> {
  const ended: StoredItem[] = [];
  let waiting = 0;
  for await (const item of storedItems(deps, batch, known.first)) {
    const bit = 1n << BigInt(item.number - known.first);
    waiting = item.progress === undefined ? waiting + 1 : 0;
    // Items start in their order, so the rest waits too.
    if (ended.length === most || waiting > BATCH_PIECE_ITEMS) break;
    if ((item.progress?.state ?? 'running') === 'running' || (known.bits & bit) !== 0n) continue;
    known.bits |= bit;
    ended.push(item);
  }
  for (; (known.bits & 1n) === 1n; known.bits >>= 1n) known.first += 1;
  return ended;
}
