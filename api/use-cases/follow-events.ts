import type { Caller } from '../../contract/http/account-schemas.ts';
import { renderListed, renderResult, type DownloadResult, type JobResultBody } from '../../contract/kinds/kinds.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { stateOf, type Follower, type JobState } from '../events/job-watches.ts';
import { createMailbox } from '../events/mailbox.ts';
import { createPositionTracker, parsePosition, sinceOf } from '../events/position.ts';
import type { EventFeed, EventsAnswer, StreamedEvent } from '../operations/operation.ts';
import type { LimitedCaller } from '../access/access-middleware.ts';
import { recordById } from './downloads.ts';
import { callerIdOf } from './subscribers.ts';

interface Resumed {
  readonly lastEventId?: string | undefined;
}

/**
 * GET /api/downloads/{downloadId}/events: an event at each change of a job until its end. The JSON is that of the job's webhook.
 */
export async function followDownload(
  deps: ServiceDeps,
  caller: LimitedCaller,
  { download_id: id, lastEventId }: Resumed & { readonly download_id: string },
): Promise<EventsAnswer<JobResultBody>> {
  const found = stateOf(await recordById(deps, caller, id));
  if (found.record.status !== 'pending' && found.eventId === lastEventId) return { events: undefined };
  const follower = { caller: callerIdOf(caller) };
  return { events: (left) => ({ stream: changesOf(deps, found, { lastEventId, left, follower }) }) };
}

async function* changesOf(
  deps: ServiceDeps,
  found: JobState,
  { lastEventId, left, follower }: Resumed & { readonly left: AbortSignal; readonly follower: Follower },
): AsyncGenerator<StreamedEvent<JobResultBody>> {
  const mailbox = createMailbox(left, deps.stopping);
  let leave = (): void => undefined;
  if (found.record.status === 'pending') {
    leave = deps.watches.watch(found.record.id, follower, (state) => mailbox.put(state));
  } else {
    mailbox.put(found);
  }
  try {
    let lastSentId = lastEventId;
    for await (const state of mailbox.states()) {
      if (state.eventId !== lastSentId) yield { id: state.eventId, body: await resultOf(deps, state) };
      lastSentId = state.eventId;
      if (state.record.status !== 'pending') return;
    }
  } finally {
    leave();
    mailbox.close();
  }
}

/** All readers of a job get the same JSON, which is rendered once; lists in it are read while they are sent. */
const results = new WeakMap<JobState, Promise<JobResultBody>>();

function resultOf({ rendering }: ServiceDeps, state: JobState): Promise<JobResultBody> {
  const known = results.get(state);
  if (known !== undefined) return known;
  const rendered = renderResult(state.record, rendering, state.progress);
  results.set(state, rendered);
  // A failed rendering is not cached for later readers.
  rendered.catch(() => results.delete(state));
  return rendered;
}

/**
 * GET /api/downloads/events: the pending records of the caller's list, and then each start, change and end. A reader that
 * reconnects receives every end since its last event once.
 */
export function followDownloads(
  deps: ServiceDeps,
  caller: Caller,
  { lastEventId }: Resumed,
): Promise<EventsAnswer<DownloadResult>> {
  return Promise.resolve({ events: (left) => allChanges(deps, caller, { lastEventId, left }) });
}

function allChanges(
  deps: ServiceDeps,
  caller: Caller,
  { lastEventId, left }: Resumed & { readonly left: AbortSignal },
): EventFeed<DownloadResult> {
  const last = parsePosition(lastEventId);
  const position = createPositionTracker(last, deps.now());
  return { stream: changes(), from: position.text(0) };

  async function* changes(): AsyncGenerator<StreamedEvent<DownloadResult>> {
    const mailbox = createMailbox(left, deps.stopping);
    const feed = deps.feeds.enter(caller, (state) => mailbox.put(state));
    const reportedPending = new Map<string, string>();
    try {
      for (const state of await feed.current(sinceOf(last, deps.now()))) mailbox.put(state);
      for await (const state of mailbox.states()) {
        const { record, progress, eventId } = state;
        if (position.isReported(record.id) || reportedPending.get(record.id) === eventId) continue;
        if (record.status === 'pending') {
          reportedPending.set(record.id, eventId);
        } else {
          reportedPending.delete(record.id);
          position.markReported(record.id, Date.parse(record.finishedAt));
        }
        const completeMs = Math.min(feed.completeMs(), mailbox.firstEndMs());
        yield { id: position.text(completeMs), body: renderListed(record, deps.rendering, progress) };
      }
    } finally {
      feed.leave();
      mailbox.close();
    }
  }
}
