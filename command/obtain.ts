import { statSync } from 'node:fs';
import { TapedeckError, type DownloadResult, type Resolved } from '../clients/typescript/src/index.ts';
import { failureOf, jobIdsOf, progressOf, type JobAnswer, type PartName } from './read-answer.ts';
import type { FetchOptions } from './arguments.ts';
import type { FetchCommand } from './command-table.ts';
import { progressText } from './display.ts';
import type { Connection } from './list-jobs.ts';
import { planById, planOf, type JobRequest } from './plan-downloads.ts';
import { isRunning, type Service } from './reach-service.ts';

/** Jobs that end within this time need no event stream. */
const FIRST_WAIT_SECONDS = 1;

export interface Deps extends Connection {
  readonly waiting: Set<string>;
  readonly upload: (path: string) => Promise<DownloadResult>;
}

export interface FetchRequest {
  readonly command: FetchCommand;
  readonly text: string;
  readonly options: FetchOptions;
}

export interface Outcome {
  readonly state: 'success' | 'failed' | 'pending';
  readonly answer: JobAnswer;
  /** Why the result, or a part of it, is not available. */
  readonly failure: string | undefined;
}

/** Requests the subject of an argument, and waits for the result unless `--no-wait` is given. A repeated request joins the same job. */
export async function obtain(deps: Deps, { command, text, options }: FetchRequest): Promise<Outcome> {
  const resolve = () => deps.service.send<Resolved>('GET', '/api/resolve', { query: { url: text } });
  let id = text;
  if (command === 'speech' && statSync(text, { throwIfNoEntry: false })?.isFile() === true) {
    const answer = await deps.upload(text);
    if (answer.data.status === 'failed') return outcomeOf(answer);
    ({ id } = answer.data);
  }
  const plan = planById(command, id, options) ?? planOf(command, text, { ...options, resolved: await resolve() });
  const { first, request, needs } = plan;
  if (first === undefined || needs === undefined) return run(deps, text, { request, options });
  const before = await run(deps, text, { request: first, options });
  if (before.state !== 'success') return before;
  const { list_id, transcript_speaker_id, data } = before.answer;
  const needed = needs === 'list_id' ? list_id : (data?.transcript_speaker_id ?? transcript_speaker_id);
  const body = { ...request.body, [needs]: needed ?? '' };
  return run(deps, text, { request: { ...request, body }, options });
}

interface Running {
  readonly request: JobRequest;
  readonly options: Pick<FetchOptions, 'isWaiting'>;
}

async function run(deps: Deps, text: string, { request, options: { isWaiting } }: Running): Promise<Outcome> {
  for (;;) {
    const answer = await requestJob(deps.service, request, isWaiting);
    if (!isRunning(answer)) return outcomeOf(answer);
    if (!isWaiting) return { state: 'pending', answer, failure: undefined };
    const ids = jobIdsOf(answer);
    const [id = answer.transcript_speaker_id, other] = ids;
    if (id === undefined) throw new TapedeckError('The service names no job.', { code: 'unexpected_answer' });
    if (other !== undefined) {
      const ends = await Promise.all([
        follow(deps, id, { text, part: 'posts' }),
        follow(deps, other, { text, part: 'reels' }),
      ]);
      const failed = ends.find((end) => failureOf(end) !== undefined);
      // The service combines the two parts; a new request would start the failed part again.
      if (failed === undefined) continue;
      const good = ends.find((end) => failureOf(end) === undefined);
      return good === undefined
        ? outcomeOf(failed)
        : { ...outcomeOf(good), state: 'failed', failure: failureOf(failed) };
    }
    const end = await follow(deps, id, { text });
    // Without a speaker job, the command waited for the audio.
    if (ids.length > 0) return outcomeOf(end);
  }
}

async function requestJob(service: Service, { path, body }: JobRequest, isWaiting: boolean): Promise<JobAnswer> {
  try {
    const waitSeconds = isWaiting ? FIRST_WAIT_SECONDS : 0;
    return await service.send<JobAnswer>('POST', path, { body, waitSeconds });
  } catch (error) {
    if (!(error instanceof TapedeckError) || error.code !== 'pending_duplicate' || error.id === undefined) throw error;
    return { status: 'pending', message: 'This job runs already.', download_id: error.id };
  }
}

async function follow(
  { service, display, waiting }: Deps,
  id: string,
  { text, part }: { readonly text: string; readonly part?: PartName },
): Promise<JobAnswer> {
  const work = display.work(part === undefined ? text : `${text} (${part})`);
  waiting.add(id);
  try {
    const end = await service.follow<JobAnswer>(id, (update) => {
      const progress = progressOf(update, part);
      if (progress !== undefined) work.show({ ...progress, text: progressText(progress) });
    });
    waiting.delete(id);
    return end;
  } finally {
    work.end();
  }
}

function outcomeOf(answer: JobAnswer): Outcome {
  const failure = failureOf(answer);
  const ofPart = answer.downloads && (answer.last_response?.posts ?? answer.last_response?.reels)?.response;
  return { state: (failure ?? ofPart) === undefined ? 'success' : 'failed', answer, failure: failure ?? ofPart };
}
