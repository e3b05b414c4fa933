import { TapedeckError } from '../clients/typescript/src/index.ts';
import type { Resolved } from '../clients/typescript/src/index.ts';
import { failureOf, jobIdsOf, progressOf, type JobAnswer, type PartName } from './read-answer.ts';
import type { FetchOptions } from './arguments.ts';
import type { FetchCommand } from './command-table.ts';
import { progressText, type Display } from './display.ts';
import { planById, planOf, type JobRequest } from './plan-downloads.ts';
import { isRunning, type Service } from './reach-service.ts';

/** Jobs that end at once need nobody who follows them. */
const FIRST_WAIT_SECONDS = 1;

export interface Deps {
  readonly service: Service;
  readonly display: Display;
  /** Told of each job that is waited for, and when that is over. */
  readonly onWaiting: (id: string, isOver: boolean) => void;
}

export interface Asked {
  readonly command: FetchCommand;
  /** As the user wrote it. */
  readonly text: string;
  readonly options: FetchOptions;
}

/** What became of a request. */
export interface Outcome {
  readonly state: 'success' | 'failed' | 'pending';
  /** What the endpoint answers. */
  readonly answer: JobAnswer;
  /** Why it, or a part of it, could not be had. */
  readonly failure: string | undefined;
}

/**
 * Asks for what a text names, and waits for it if that is wanted. Asking again joins the same job.
 *
 * @throws UsageError, TapedeckError
 */
export async function obtain(deps: Deps, { command, text, options }: Asked): Promise<Outcome> {
  const plan = planById(command, text, options) ?? planOf(command, text, { ...options, resolved: await resolve() });
  const { first, request, needs } = plan;
  if (first === undefined || needs === undefined) return run(deps, text, { request, options });
  const before = await run(deps, text, { request: first, options });
  if (before.state !== 'success') return before;
  const { list_id, transcript_speaker_id, data } = before.answer;
  const needed = needs === 'list_id' ? list_id : (data?.transcript_speaker_id ?? transcript_speaker_id);
  const body = { ...request.body, [needs]: needed ?? '' };
  return run(deps, text, { request: { ...request, body }, options });

  async function resolve(): Promise<Resolved> {
    return deps.service.ask<Resolved>('GET', '/api/resolve', { query: { url: text } });
  }
}

interface Running {
  readonly request: JobRequest;
  readonly options: Pick<FetchOptions, 'isWaiting'>;
}

async function run(deps: Deps, text: string, { request, options: { isWaiting } }: Running): Promise<Outcome> {
  for (;;) {
    const answer = await askFor(deps.service, request, isWaiting);
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
      // The service puts the two together; what has failed it would begin anew.
      if (failed === undefined) continue;
      const good = ends.find((end) => failureOf(end) === undefined);
      return good === undefined
        ? outcomeOf(failed)
        : { ...outcomeOf(good), state: 'failed', failure: failureOf(failed) };
    }
    const end = await follow(deps, id, { text });
    // Of speakers without a job it is the audio that was waited for.
    if (ids.length > 0) return outcomeOf(end);
  }
}

async function askFor(service: Service, { path, body }: JobRequest, isWaiting: boolean): Promise<JobAnswer> {
  try {
    const waitSeconds = isWaiting ? FIRST_WAIT_SECONDS : 0;
    return await service.ask<JobAnswer>('POST', path, { body, waitSeconds });
  } catch (error) {
    if (!(error instanceof TapedeckError) || error.code !== 'pending_duplicate' || error.id === undefined) throw error;
    return { status: 'pending', message: 'This job runs already.', download_id: error.id };
  }
}

async function follow(
  { service, display, onWaiting }: Deps,
  id: string,
  { text, part }: { readonly text: string; readonly part?: PartName },
): Promise<JobAnswer> {
  const work = display.work(part === undefined ? text : `${text} (${part})`);
  onWaiting(id, false);
  try {
    const end = await service.follow<JobAnswer>(id, (told) => {
      const progress = progressOf(told, part);
      if (progress !== undefined) work.show({ ...progress, text: progressText(progress) });
    });
    onWaiting(id, true);
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
