import { beforeEach, vi } from 'vitest';
import type { ApiKey } from '../../contract/http/account-schemas.ts';
import type { JobInput } from '../../contract/job-input.ts';
import type { ListJob, ListPartName } from '../../contract/kinds/imgnet-list-job.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { formatMicroseconds } from '../../contract/text/times.ts';
import type { Facades } from './rest-app.ts';

/** Callers of lists, at times that a test chooses; the jobs run until the test ends them. */
export function listCallers(facadesOf: () => Facades, startMs: number) {
  const open = new Map<string, JobInput>();
  const told: { readonly part: string; readonly url: string }[] = [];
  const begun: JobInput[] = [];
  let nowMs = startMs;
  let names = 0;

  beforeEach(() => {
    const { deps, jobs, redeliveries } = facadesOf();
    open.clear();
    told.length = 0;
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
      if (input.webhookUrl !== undefined) told.push({ part: input.type, url: input.webhookUrl });
      return Promise.resolve('started');
    });
    jobs.subscribe.mockReset().mockImplementation(({ subjectId }, url) => {
      const job = open.get(subjectId);
      if (job !== undefined) told.push({ part: job.type, url });
      return Promise.resolve(job !== undefined);
    });
    jobs.status.mockReset().mockImplementation(({ subjectId }) => {
      return Promise.resolve(open.has(subjectId) ? { state: 'running', progress: undefined } : { state: 'gone' });
    });
    redeliveries.start.mockReset().mockImplementation(async ({ recordId, url }) => {
      told.push({ part: (await deps.records.get(recordId))?.type ?? '', url });
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
    /** Of which parts a URL was, or is going to be, told: in alphabetical order. */
    toldOf: (wanted: string): readonly string[] =>
      told
        .filter(({ url }) => url === wanted)
        .map(({ part }) => part)
        .sort(),
  };
}
