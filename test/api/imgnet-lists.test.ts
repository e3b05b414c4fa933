import { afterAll, beforeAll, describe, expect, it, vi, beforeEach } from 'vitest';
import type { AccountResult, ApiKey } from '../../contract/http/account-schemas.ts';
import { imgnetListResultSchema } from '../../contract/kinds/imgnet-list.ts';
import type { ListJob, ListPartName } from '../../contract/kinds/imgnet-list-job.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import type { JobInput } from '../../contract/job-input.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { formatMicroseconds } from '../../contract/text/times.ts';
import { WEBHOOKS_PER_JOB_MAX } from '../../contract/request-limits.ts';

/** Callers of lists, at times that a test chooses; the jobs run until the test ends them. */
function listCallers(facadesOf: () => Facades, startMs: number) {
  const open = new Map<string, JobInput>();
  const reported: { readonly part: string; readonly url: string }[] = [];
  const begun: JobInput[] = [];
  let nowMs = startMs;
  let names = 0;

  beforeEach(() => {
    const { deps, jobs, redeliveries } = facadesOf();
    open.clear();
    reported.length = 0;
    begun.length = 0;
    nowMs = startMs;
    vi.mocked(deps.now).mockImplementation(() => nowMs);
    const runningOf = (id: string) => (open.has(id) ? { running: open.get(id)!, runId: 'run' } : 'closed');
    jobs.running.mockReset().mockImplementation((id) => Promise.resolve(runningOf(id)));
    jobs.start.mockReset().mockImplementation((_workflow, input) => {
      const running = runningOf(input.subjectId);
      if (running !== 'closed') return Promise.resolve(running);
      open.set(input.subjectId, input);
      begun.push(input);
      if (input.webhookUrl !== undefined) reported.push({ part: input.type, url: input.webhookUrl });
      return Promise.resolve('started');
    });
    jobs.subscribe.mockReset().mockImplementation(({ subjectId }, url) => {
      const job = open.get(subjectId);
      if (job !== undefined) reported.push({ part: job.type, url });
      return Promise.resolve(job !== undefined);
    });
    jobs.status.mockReset().mockImplementation(({ subjectId }) => {
      return Promise.resolve(open.has(subjectId) ? { state: 'running', progress: undefined } : { state: 'gone' });
    });
    redeliveries.start.mockReset().mockImplementation(async ({ recordId, url }) => {
      reported.push({ part: (await deps.records.get(recordId))?.type ?? '', url });
      return true;
    });
  });

  const post = async (path: string, body: object, key?: ApiKey & { text: string }) => {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key.text}` };
    const answer = await fetch(facadesOf().url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const end = async (part: ListPartName | 'profile', ends: 'success' | 'failed' = 'success'): Promise<void> => {
    const { deps } = facadesOf();
    const type = part === 'profile' ? 'imgnet_profile' : `imgnet_list_${part}`;
    for (const job of [...open.values()].filter((one) => one.type === type)) {
      const lists = { [part]: { pieces: 0, items: 0 } };
      const failure = { code: 'upstream_error', message: 'It did not work.' } as const;
      const outcome =
        ends === 'success' ? ({ status: ends, result: { lists } } as const) : ({ status: ends, failure } as const);
      await deps.records.finish(job.recordId, outcome, formatMicroseconds(nowMs * 1000));
      await finishRecord(deps.records, job.recordId, outcome);
      open.delete(job.subjectId);
    }
  };
  return {
    open,
    post,
    end,
    /** Another name each time. */
    account: (): string => `tea.list_${String((names += 1))}`,
    pass: (ms: number): void => void (nowMs += ms),
    nowMs: (): number => nowMs,
    /** A profile that was fetched now. @returns its list_id */
    profile: async (name: string): Promise<string> => {
      const { body } = await post('/api/imgnet/profile', { url: `@${name}` });
      const url = `https://www.instagram.com/${name}/`;
      await facadesOf().contents.putFacts(String(body['list_id']), { account: name, profile_url: url, url });
      await end('profile');
      return String(body['list_id']);
    },
    /** The jobs of lists that were started, in their order. */
    started: (): readonly ListJob[] =>
      begun.filter((job): job is ListJob => job.type === 'imgnet_list_posts' || job.type === 'imgnet_list_reels'),
    /** The parts that are reported to a URL, in alphabetical order. */
    reportedTo: (wanted: string): readonly string[] =>
      reported
        .filter(({ url }) => url === wanted)
        .map(({ part }) => part)
        .sort(),
  };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Half a minute before midnight UTC. */
const EVENING_MS = Date.parse('2026-11-21T23:59:30.250Z');
let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

const callers = listCallers(() => facades, EVENING_MS);
const { account, profile, post, end, pass, started, reportedTo } = callers;
const BOTH = ['imgnet_list_posts', 'imgnet_list_reels'];
const hook = (name: string): string => `https://${name}.example/h`;
const list = (list_id: string, more: object = {}) => post('/api/imgnet/list', { list_id, ...more });
const idsOf = ({ body }: { body: Record<string, unknown> }): readonly string[] =>
  Object.values(body['downloads'] as Record<string, { id: string }>).map(({ id }) => id);

it('a list gives its order to both of its jobs', async () => {
  const list_id = await profile(account());
  expect((await list(list_id, { priority: 'bulk', keep_days: 3 })).status).toBe(202);
  const order = { priority: 'bulk', keepDays: 3 };
  expect(started()).toMatchObject([{ order }, { order }]);
});

describe('a webhook that is added to a pending list', () => {
  it.each([
    ['nothing has ended', []],
    ['the posts are here', ['posts', 'success']],
    ['the reels are here', ['reels', 'success']],
    ['the posts have failed', ['posts', 'failed']],
    ['the reels have failed', ['reels', 'failed']],
  ] as const)('reports both parts once when %s', async (_when, [part, ends]) => {
    const list_id = await profile(account());
    expect((await list(list_id, { include_webhook: hook('first') })).status).toBe(202);
    expect((await list(list_id, { include_webhook: hook('second') })).status).toBe(202);
    if (part !== undefined) await end(part, ends);
    for (const name of ['late', 'first', 'second', 'late', 'late']) {
      const { status, body } = await list(list_id, { include_webhook: hook(name) });
      expect([status, body['status']]).toEqual([202, 'pending']);
      expect(imgnetListResultSchema.parse(body)).toEqual(body);
    }
    for (const name of ['first', 'second', 'late']) expect(reportedTo(hook(name)), name).toEqual(BOTH);
    expect(started()).toHaveLength(2);
  });

  it('reports both parts also if the list_id has expired meanwhile', async () => {
    const list_id = await profile(account());
    await list(list_id);
    await end('posts');
    pass(2 * HOUR_MS);
    expect((await list(list_id, { include_webhook: hook('later') })).status).toBe(202);
    expect(reportedTo(hook('later'))).toEqual(BOTH);
  });

  it('reports the finished part when only the failed one is fetched again', async () => {
    const list_id = await profile(account());
    await list(list_id, { include_webhook: hook('before') });
    await end('posts');
    await end('reels', 'failed');
    for (const name of ['again', 'before', 'again']) await list(list_id, { include_webhook: hook(name) });
    expect(reportedTo(hook('again'))).toEqual(BOTH);
    expect(reportedTo(hook('before'))).toEqual([...BOTH, 'imgnet_list_reels']);
    expect(started().map(({ type }) => type)).toEqual([...BOTH, 'imgnet_list_reels']);
  });

  it('is not sent if both parts are finished, because the answer is the result', async () => {
    const list_id = await profile(account());
    await list(list_id);
    await end('posts');
    await end('reels');
    expect((await list(list_id, { include_webhook: hook('done') })).status).toBe(200);
    expect(reportedTo(hook('done'))).toEqual([]);
  });

  it('has one delivery of an ended part, however often the api dies before it has recorded that', async () => {
    const list_id = await profile(account());
    await list(list_id);
    const [posts] = started();
    await end('posts');
    const { webhookSubscriptions } = facades.deps;
    const note = webhookSubscriptions.markKnown.bind(webhookSubscriptions);
    const markKnown = vi.spyOn(webhookSubscriptions, 'markKnown').mockImplementation((recordId, subscription) => {
      return recordId === posts!.recordId ? Promise.reject(new Error('killed')) : note(recordId, subscription);
    });
    expect((await list(list_id, { include_webhook: hook('x') })).status).toBe(500);
    markKnown.mockRestore();
    for (const name of ['x', 'y', 'x']) await list(list_id, { include_webhook: hook(name) });
    const deliveries = facades.redeliveries.start.mock.calls.map(([input]) => input);
    const record = (await facades.deps.records.get(posts!.recordId))!;
    const delivery = { recordId: record.id, subscribedBy: ['anonymous'], firstAttempt: 1, record };
    const first = WEBHOOKS_PER_JOB_MAX + 1;
    const idOf = (number: number) => `webhook/${posts!.recordId}/${String(number)}`;
    expect(new Map(deliveries.map((input) => [input.deliveryId, input]))).toEqual(
      new Map([
        [idOf(first), { ...delivery, deliveryId: idOf(first), url: hook('x') }],
        [idOf(first + 1), { ...delivery, deliveryId: idOf(first + 1), url: hook('y') }],
      ]),
    );
    const { createdAt } = record;
    for (const { deliveryId: id, recordId, url } of deliveries) {
      await facades.deps.deliveries.open({ id, recordId, url, endpoint: 'imgnet/list', createdAt });
    }
    expect((await facades.deps.deliveries.ofRecord(posts!.recordId)).map(({ id }) => id)).toEqual(
      [first, first + 1].map(idOf),
    );
  });
});

describe('a list of some days', () => {
  it.each([0, 1, 7])('begins %s days before its request, to the second', async (max_age_days) => {
    const list_id = await profile(account());
    expect((await list(list_id, { max_age_days })).status).toBe(202);
    const since = new Date(EVENING_MS - max_age_days * DAY_MS).toISOString();
    const range = { sinceDate: since.slice(0, 10), since };
    expect(started().map(({ parameters }) => parameters)).toMatchObject([range, range]);
  });

  it('that is polled over midnight UTC is two jobs with one charge each', async () => {
    const key = await facades.deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
    await facades.deps.accounts.open(key.id, 1_000);
    const request = { list_id: await profile(account()), max_age_days: 1 };
    const poll = () => post('/api/imgnet/list', request, key);
    const first = await poll();
    for (let minutes = 0; minutes < 3; minutes += 1) {
      pass(MINUTE_MS);
      const again = await poll();
      expect([again.status, idsOf(again)]).toEqual([202, idsOf(first)]);
    }
    await end('posts');
    pass(MINUTE_MS);
    expect(await poll()).toMatchObject({ status: 202, body: { posts: [] } });
    await end('reels');
    pass(MINUTE_MS);
    const last = await poll();
    expect([last.status, idsOf(last)]).toEqual([200, idsOf(first)]);
    expect(started()).toHaveLength(2);
    const answer = await fetch(`${facades.url}/api/account`, { headers: { authorization: `Bearer ${key.text}` } });
    const { entries, reserved } = (await answer.json()) as AccountResult;
    expect([entries.map(({ amount }) => amount), reserved]).toEqual([['0.005', '0.005'], '0.000']);
  });

  it('is one pair of jobs for concurrent requests', async () => {
    const list_id = await profile(account());
    const answers = await Promise.all([1, 2, 3, 4].map(() => list(list_id, { max_age_days: 7 })));
    expect(new Set(answers.map((answer) => idsOf(answer).join(' '))).size).toBe(1);
    expect(callers.open.size).toBe(2);
  });

  it('begins at its second request if the first could not be paid', async () => {
    const poor = await facades.deps.keys.create({ name: 'poor', scopes: ['read', 'jobs'] });
    await facades.deps.accounts.open(poor.id, 1);
    const list_id = await profile(account());
    expect((await post('/api/imgnet/list', { list_id, max_age_days: 1 }, poor)).status).toBe(402);
    pass(MINUTE_MS);
    await list(list_id, { max_age_days: 1 });
    expect(started().at(-1)?.parameters.since).toBe(new Date(EVENING_MS + MINUTE_MS - DAY_MS).toISOString());
  });
});

describe('a list with one slow part', () => {
  it('keeps the finished part, however old it is', async () => {
    const list_id = await profile(account());
    const first = await list(list_id);
    await end('posts');
    for (let polls = 0; polls < 4; polls += 1) {
      pass(40 * MINUTE_MS);
      const again = await list(list_id);
      expect([again.status, idsOf(again)]).toEqual([202, idsOf(first)]);
    }
    await end('reels');
    const last = await list(list_id);
    expect([last.status, idsOf(last)]).toEqual([200, idsOf(first)]);
    expect(started()).toHaveLength(2);
  });
});

describe('a list_id', () => {
  it('is valid for exactly one hour after it was last returned', async () => {
    const name = account();
    const list_id = await profile(name);
    pass(HOUR_MS - 1_000);
    const again = await post('/api/imgnet/profile', { url: `@${name}` });
    expect([again.status, again.body['list_id']]).toEqual([200, list_id]);
    pass(HOUR_MS + 1_000);
    expect(await list(list_id)).toMatchObject({ status: 410, body: { code: 'list_id_expired' } });
    pass(-2_000);
    expect((await list(list_id)).status).toBe(202);
  });

  it('is valid for one hour after its profile was fetched, if it was not returned since', async () => {
    const name = account();
    await post('/api/imgnet/profile', { url: `@${name}` });
    const list_id = [...callers.open.values()][0]!.recordId;
    pass(15 * MINUTE_MS);
    await end('profile');
    pass(HOUR_MS + 1_000);
    expect((await list(list_id)).status).toBe(410);
    pass(-2_000);
    expect((await list(list_id)).status).toBe(202);
  });

  it.each([undefined, 7])('polls a running list, and its result for an hour (max_age_days %s)', async (days) => {
    const list_id = await profile(account());
    const request = days === undefined ? {} : { max_age_days: days };
    pass(50 * MINUTE_MS);
    const first = await list(list_id, request);
    for (let polls = 0; polls < 3; polls += 1) {
      pass(30 * MINUTE_MS);
      const poll = await list(list_id, request);
      expect([poll.status, idsOf(poll)]).toEqual([202, idsOf(first)]);
    }
    await end('posts');
    await end('reels', 'failed');
    pass(HOUR_MS - 1_000);
    const last = await list(list_id, request);
    expect([last.status, last.body['status'], idsOf(last)]).toEqual([200, 'success', idsOf(first)]);
    pass(2_000);
    expect((await list(list_id, request)).status).toBe(410);
    expect(started()).toHaveLength(2);
  });

  it('does not start a list after its expiry, even while another list of the account runs', async () => {
    const name = account();
    const list_id = await profile(name);
    pass(HOUR_MS + 1_000);
    const newer = await profile(name);
    expect((await list(newer)).status).toBe(202);
    expect((await list(list_id)).status).toBe(410);
    expect((await list(newer, { max_age_days: 1 })).status).toBe(202);
  });
});
