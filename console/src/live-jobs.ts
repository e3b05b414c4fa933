import type { Progress } from '../../contract/http/fields.ts';
import { authorization, call, Problem, problemOf, read } from './console-api.ts';
import { textsOf } from '../../clients/typescript/src/event-parser.ts';
import { pause } from '../../clients/typescript/src/pause.ts';
import type { Download } from './types.ts';

/** How news arrive; `lost`: not at all at the moment. */
export type How = 'connecting' | 'live' | 'lost';

interface Told {
  readonly onHow: (how: How) => void;
  /** What no repetition helps. */
  readonly onProblem: (problem: Problem) => void;
}

const RECONNECT_MS = [500, 1_000, 2_000, 5_000, 10_000] as const;

/** Follows a download to its end. @returns a function that ends it before */
export function watchDownload(
  id: string,
  { onRecord, ...told }: Told & { readonly onRecord: (record: Download) => void },
): () => void {
  return keepAt(told, async (signal, onOpen) => {
    const look = async (): Promise<Download> => {
      const { data } = await read<{ data: Download }>(`/downloads/${id}`, signal);
      onRecord(data);
      return data;
    };
    let record = await look();
    if (record.status !== 'pending') return 'ended';
    const onEvent = async (data: string): Promise<boolean> => {
      const pending = pendingAsTold(record, data);
      if (pending === undefined) record = await look();
      else onRecord((record = pending));
      return record.status !== 'pending';
    };
    return readStream(`/api/downloads/${id}/events`, { signal, onOpen, onEvent });
  });
}

/**
 * Follows all of a caller's downloads: those that run, and each that begins, changes and ends. Not while nobody sees the page:
 * a browser has six connections for all of its tabs.
 */
export function watchDownloads({
  onChange,
  ...told
}: Told & { readonly onChange: (record: Download) => void }): () => void {
  const onEvent = (data: string): Promise<boolean> => {
    onChange((JSON.parse(data) as { readonly data: Download }).data);
    return Promise.resolve(false);
  };
  const begin = (): (() => void) =>
    keepAt(told, (signal, onOpen) => readStream('/api/downloads/events', { signal, onOpen, onEvent }));
  let end = begin();
  const onSeen = (): void => {
    end();
    if (!document.hidden) end = begin();
  };
  document.addEventListener('visibilitychange', onSeen);
  return () => {
    document.removeEventListener('visibilitychange', onSeen);
    end();
  };
}

/** Goes on through lost connections and refusals that pass, until it has ended or is told to. */
function keepAt(
  { onHow, onProblem }: Told,
  work: (signal: AbortSignal, onOpen: () => void) => Promise<'ended' | 'cut'>,
): () => void {
  const end = new AbortController();
  const { signal } = end;
  const loop = async (): Promise<void> => {
    for (let failures = 0; ;) {
      const onOpen = (): void => {
        failures = 0;
        onHow('live');
      };
      try {
        if ((await work(signal, onOpen)) === 'ended') return;
        await pause(RECONNECT_MS[0], signal);
      } catch (error) {
        if (signal.aborted) return;
        const problem = error instanceof Problem ? error : new Problem('The service cannot be reached.', { status: 0 });
        if (problem.status >= 400 && problem.status < 500 && problem.status !== 429) {
          onProblem(problem);
          return;
        }
        onHow('lost');
        const backOff = RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)] ?? 0;
        failures += 1;
        await pause(Math.max(backOff, problem.retryAfterSeconds * 1000), signal);
      }
    }
  };
  loop().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return () => end.abort();
}

interface Reading {
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  /** @returns whether the reader has heard enough */
  readonly onEvent: (data: string) => Promise<boolean>;
}

/** Reads a stream of events until the reader has heard enough, or it is cut before. @throws Problem when it is refused */
async function readStream(path: string, { signal, onOpen, onEvent }: Reading): Promise<'ended' | 'cut'> {
  const offline = new AbortController();
  // Otherwise what is lost is noticed only by its silence.
  const stop = (): void => offline.abort();
  addEventListener('offline', stop);
  try {
    const headers = { ...authorization(), Accept: 'text/event-stream' };
    const response = await fetch(path, { headers, signal: AbortSignal.any([signal, offline.signal]) });
    if (!response.ok) throw problemOf(response, (await response.json().catch(() => ({}))) as object);
    onOpen();
    for await (const data of textsOf(response.body ?? new ReadableStream())) if (await onEvent(data)) return 'ended';
    return 'cut';
  } finally {
    removeEventListener('offline', stop);
  }
}

/** What an event of a running job tells: its record, or what its endpoint answers. */
interface Pending {
  readonly status?: string;
  readonly progress?: Progress | Readonly<Partial<Record<'posts' | 'reels', Progress>>>;
}

/** @returns the record with what an event tells of it; undefined when only looking tells, as at the end */
function pendingAsTold(record: Download, data: string): Download | undefined {
  const told = JSON.parse(data) as Pending & { readonly data?: Pending };
  const { status, progress } = told.data?.status === undefined ? told : told.data;
  if (status !== 'pending') return undefined;
  const part = record.type === 'imgnet_list_reels' ? 'reels' : 'posts';
  const own = progress === undefined || 'stage' in progress ? progress : progress[part];
  return { ...record, progress: own };
}

/** Tells a download to stop. @returns it as it is then */
export async function cancel(id: string): Promise<Download> {
  return (await call<{ data: Download }>('DELETE', `/downloads/${id}`)).body.data;
}
