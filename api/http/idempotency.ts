import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { H3Event } from 'h3';
import { ulid } from 'ulid';
import { ApiError, ERROR_TABLE } from '../../contract/http/api-error.ts';
import { holdsStream } from '../../contract/http/streams.ts';
import { optional } from '../../runtime/optional.ts';
import { KEY_KEPT_MS, type KeyedRequest } from '../../store/accounts/idempotency-keys.ts';
import { rateLimitKeyOf, type RequestIds } from '../access/access-middleware.ts';
import type { Answer, AnyAnswer } from '../operations/operation.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { invalidField, toApiError } from './to-api-error.ts';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
/** A key whose request has died can be used after this time. A request that runs extends it. */
const HELD_MS = 10_000;
const EXTEND_MS = 3_000;
const POLL_MS = 200;
const CLEAN_MS = 60_000;

interface Repeatable {
  readonly name: string;
  readonly input: { readonly waitMs: number };
}
type Run = (ids?: RequestIds) => Promise<AnyAnswer>;

/**
 * Runs requests with the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07) once per key and caller. A
 * request that was refused does not use up its key. If a request was interrupted, the next one with its key continues it: what
 * both create has the same IDs.
 */
export function createIdempotency({ idempotencyKeys: keys, now, elapsed, stopping, log }: ServiceDeps) {
  let cleanedAt = -Infinity;
  const clean = (): void => {
    if (elapsed() < cleanedAt + CLEAN_MS) return;
    cleanedAt = elapsed();
    keys.removeBefore(now() - KEY_KEPT_MS).catch((error: unknown) => {
      log.warn({ err: error }, 'old idempotency keys were not removed');
    });
  };
  const claim = async (wanted: KeyedRequest, waitMs: number): Promise<KeyedRequest> => {
    const until = elapsed() + HELD_MS + waitMs;
    for (;;) {
      const heldUntilMs = now() + HELD_MS;
      const known = await keys.claim({ ...wanted, heldUntilMs });
      if (known.createdAtMs + KEY_KEPT_MS <= now()) await keys.remove(known);
      else if (known.fingerprint !== wanted.fingerprint) {
        throw new ApiError('idempotency_key_reused', `This ${IDEMPOTENCY_KEY} was sent with another request.`);
      } else if (known.holder === wanted.holder || known.ids !== undefined) return known;
      else if (known.heldUntilMs <= now()) await keys.take(known, { holder: wanted.holder, heldUntilMs });
      else {
        if (elapsed() >= until || stopping.aborted) {
          throw new ApiError('idempotency_key_in_use', `The first request with this ${IDEMPOTENCY_KEY} still runs.`, {
            retryAfterSeconds: HELD_MS / 1000,
          });
        }
        await delay(POLL_MS);
      }
    }
  };
  const runHeld = async (entry: KeyedRequest, run: Run): Promise<AnyAnswer> => {
    const { id, holder } = entry;
    const timer = setInterval(() => {
      keys.hold(id, { holder, heldUntilMs: now() + HELD_MS }).catch((error: unknown) => {
        log.warn({ err: error }, 'an idempotency key was not extended');
      });
    }, EXTEND_MS);
    const ids = idsOf(entry);
    try {
      const answer = await run(ids);
      await keys.finish(id, { ids: ids.noted, ...optional('answer', storedForm(answer)) });
      return answer;
    } catch (error) {
      const hasStartedNothing = ERROR_TABLE[toApiError(error).code].http < 500;
      if (hasStartedNothing) await keys.remove(entry);
      else await keys.hold(id, { holder, heldUntilMs: 0 });
      throw error;
    } finally {
      clearInterval(timer);
    }
  };
  return async (event: H3Event, { name, input }: Repeatable, run: Run): Promise<AnyAnswer> => {
    const header = event.req.headers.get(IDEMPOTENCY_KEY);
    if (header === null) return run();
    clean();
    const { waitMs, ...fields } = input;
    const wanted = {
      id: digestOf([rateLimitKeyOf(event), keyIn(header)]),
      fingerprint: digestOf([name, fields]),
      ...{ seed: ulid(), holder: ulid(), createdAtMs: now(), heldUntilMs: 0 },
    };
    const entry = await claim(wanted, waitMs);
    if (entry.answer !== undefined) return JSON.parse(entry.answer) as Answer<unknown>;
    return entry.ids === undefined ? runHeld(entry, run) : run(idsOf(entry));
  };
}

/** A structured field has quotation marks; many clients leave them out. */
function keyIn(header: string): string {
  const key = /^(?:"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"|([\x21\x23-\x7e]{1,255}))$/.exec(header);
  if (key === null) throw invalidField(IDEMPOTENCY_KEY, 'must have 1 to 255 printable ASCII characters');
  return key[1] ?? key[2] ?? '';
}

/** Results are rendered again from their records, because they may be long and may be removed. */
function storedForm(answer: AnyAnswer): string | undefined {
  const isStored = 'body' in answer && answer.state === 'pending' && !holdsStream(answer.body);
  return isStored ? JSON.stringify(answer) : undefined;
}

/** @returns IDs that the same seed and time give again */
export function idsOf({ ids, seed, createdAtMs }: Pick<KeyedRequest, 'ids' | 'seed' | 'createdAtMs'>): RequestIds {
  return {
    noted: {},
    of(name) {
      // Each byte determines a character, so the same seed and name give the same ID.
      const bytes = createHash('sha256').update(`${seed} ${name}`).digest().values();
      return ids?.[name] ?? ulid(createdAtMs, () => (bytes.next().value ?? 0) / 256);
    },
  };
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
