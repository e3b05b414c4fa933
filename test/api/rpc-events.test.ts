import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRpcClient } from '../../clients/typescript/src/rpc.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { keepJob, anAudioJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { keepChannel } from '../helpers/unread/large-answers.ts';
import { until } from '../helpers/until.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades(undefined, { looks: { everyMs: 100 } });
  facades.jobs.status.mockResolvedValue({ state: 'running', progress: { stage: 'fetching', percent: 10 } });
});
const leaving: (() => void)[] = [];
afterEach(() => {
  for (const leave of leaving.splice(0)) leave();
});
afterAll(() => facades.close());

interface Followed {
  readonly received: { readonly id: string; readonly data: unknown }[];
  error: { readonly data?: unknown } | undefined;
  isOver: boolean;
  /** The state of the connection. */
  state: string;
  leave: () => void;
}
type Client = Facades['rpc'];
function observer() {
  const followed: Followed = { received: [], error: undefined, isOver: false, state: '', leave: () => undefined };
  const callbacks = {
    onData: (event: Followed['received'][number]) => void followed.received.push(event),
    onError: (error: NonNullable<Followed['error']>) => void (followed.error = error),
    onComplete: () => void (followed.isOver = true),
    onConnectionStateChange: ({ state }: { state: string }) => void (followed.state = state),
  };
  return { followed, callbacks };
}
function follow(id: string, lastEventId?: string, client: Client = facades.rpc): Followed {
  const { followed, callbacks } = observer();
  const subscription = client.downloads.events.subscribe({ download_id: id, lastEventId }, callbacks);
  const leave = (): void => subscription.unsubscribe();
  leaving.push(leave);
  return Object.assign(followed, { leave });
}
const success = { status: 'success', result: { durationSeconds: 61 } } as const;
const polled = async (id: string): Promise<unknown> => (await fetch(`${facades.url}/downloads/${id}`)).json();

describe('a subscription over tRPC', () => {
  it('sends the state of a job and its end like REST, and ends', async () => {
    const { id } = await keepJob(facades.deps.records, anAudioJob());
    const followed = follow(id);
    await until(() => followed.received.length === 1);
    await finishRecord(facades.deps.records, id, success);
    await until(() => followed.isOver);
    expect(followed.received.map(({ data }) => data)).toMatchObject([
      { data: { status: 'pending', progress: { percent: 10 } } },
      await polled(id),
    ]);
    expect(followed.error).toBeUndefined();
    const again = follow(id, followed.received.at(-1)?.id);
    await until(() => again.isOver);
    expect(again.received).toEqual([]);
  });

  it('sends a complete list while it is read', async () => {
    const body = await keepChannel(facades, 5_000);
    const answer = await facades.post('/api/channel/profile', body);
    const { id } = answer.body['download'] as { id: string };
    const followed = follow(id);
    await until(() => followed.isOver, { within: 20_000 });
    expect(followed.received.map(({ data }) => data)).toEqual([answer.body]);
  });

  it('continues without a loss when the server stops in order', async () => {
    const stopped = await startFacades(undefined, { looks: { everyMs: 100 } });
    stopped.jobs.status.mockResolvedValue({ state: 'running', progress: { stage: 'fetching', percent: 10 } });
    try {
      const { id } = await keepJob(stopped.deps.records, anAudioJob());
      const followed = follow(id, undefined, stopped.rpc);
      await until(() => followed.received.length === 1);
      stopped.stop();
      await finishRecord(stopped.deps.records, id, success);
      // A subscription that has ended does not reconnect.
      await until(() => followed.state === 'connecting');
      expect([followed.isOver, followed.error]).toEqual([false, undefined]);
      followed.leave();
    } finally {
      await stopped.close();
    }
  });

  it('sends all downloads to services', async () => {
    const { followed, callbacks } = observer();
    const subscription = facades.rpc.downloads.allEvents.subscribe(undefined, callbacks);
    leaving.push(() => subscription.unsubscribe());
    const { data } = await facades.rpc.downloads.audio.mutate({ vidnet_video_id: 'kX3vQ9mTz0A' });
    await until(() => followed.received.some(({ data: body }) => JSON.stringify(body).includes(data.id)), {
      within: 20_000,
    });
    await finishRecord(facades.deps.records, data.id, success);
    await until(() => followed.received.some(({ data: body }) => JSON.stringify(body).includes('"success"')), {
      within: 20_000,
    });
    expect(followed.received.at(-1)?.data).toEqual(await polled(data.id));
  });

  it('is refused with the error that REST answers', async () => {
    const unknown = follow('01JD5Z3K6VQ0W8R9T2X4Y6B8CD');
    await until(() => unknown.error);
    expect(unknown.error?.data).toMatchObject({ code: 'NOT_FOUND', body: { code: 'not_found' } });
    const intruder = createRpcClient(facades.rpcUrl, { token: 'none of ours' });
    const refused = follow('01JD5Z3K6VQ0W8R9T2X4Y6B8CD', undefined, intruder);
    await until(() => refused.error);
    expect(refused.error?.data).toMatchObject({ code: 'UNAUTHORIZED' });
  });
});
