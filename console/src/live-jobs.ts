import type { Progress } from '../../contract/http/fields.ts';
import { authorization, Problem, problemOf, read } from './console-api.ts';
import { textsOf } from '../../clients/typescript/src/event-parser.ts';
import { pause } from '../../clients/typescript/src/pause.ts';
import type { Download } from './types.ts';

/** Whether updates arrive: `lost` means that the connection is interrupted. */
export type Connection = 'connecting' | 'live' | 'lost';

interface Callbacks {
  readonly onConnection: (connection: Connection) => void;
  /** Called with an error that a retry cannot resolve. */
  readonly onProblem: (problem: Problem) => void;
}

const RECONNECT_MS = [500, 1_000, 2_000, 5_000, 10_000] as const;

export function watchDownload(
  id: string,
  { onRecord, ...callbacks }: Callbacks & { readonly onRecord: (record: Download) => void },
): () => void {
  return keepConnected(callbacks, async (signal, onOpen) => {
    const load = async (): Promise<Download> => {
      const { data } = await read<{ data: Download }>(`/downloads/${id}`, signal);
      onRecord(data);
      return data;
    };
    let record = await load();
    if (record.status !== 'pending') return 'ended';
    const onEvent = async (data: string): Promise<boolean> => {
      const pending = updatedRecord(record, data);
      if (pending === undefined) record = await load();
      else onRecord((record = pending));
      return record.status !== 'pending';
    };
    return readStream(`/api/downloads/${id}/events`, { signal, onOpen, onEvent });
  });
}

/**
 * Follows all downloads of a caller: those that run, and each that starts, changes or ends. It pauses while the page is hidden,
 * because a browser has six connections for all of its tabs.
 */
export function watchDownloads({
  onChange,
  ...callbacks
}: Callbacks & { readonly onChange: (record: Download) => void }): () => void {
  const onEvent = (data: string): Promise<boolean> => {
    onChange((JSON.parse(data) as { readonly data: Download }).data);
    return Promise.resolve(false);
  };
  const begin = (): (() => void) =>
    keepConnected(callbacks, (signal, onOpen) => readStream('/api/downloads/events', { signal, onOpen, onEvent }));
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

/** Reconnects after lost connections and temporary refusals, until the work has ended or is stopped. */
function keepConnected(
  { onConnection, onProblem }: Callbacks,
  work: (signal: AbortSignal, onOpen: () => void) => Promise<'ended' | 'cut'>,
): () => void {
  const end = new AbortController();
  const { signal } = end;
  const loop = async (): Promise<void> => {
    for (let failures = 0; ;) {
      const onOpen = (): void => {
        failures = 0;
        onConnection('live');
      };
      try {
        if ((await work(signal, onOpen)) === 'ended') return;
        await pause(RECONNECT_MS[0], signal);
      } catch (error) {
        if (signal.aborted) return;
        const problem = error instanceof Problem ? error : new Problem('The service cannot be reached.', 0);
        if (problem.status >= 400 && problem.status < 500 && problem.status !== 429) {
          onProblem(problem);
          return;
        }
        onConnection('lost');
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
  /** @returns whether the reader needs no further events */
  readonly onEvent: (data: string) => Promise<boolean>;
}

/** Reads an event stream until the reader needs no more events or the connection is cut. @throws Problem when it is refused */
async function readStream(path: string, { signal, onOpen, onEvent }: Reading): Promise<'ended' | 'cut'> {
  const offline = new AbortController();
  // Otherwise a lost connection would be noticed only by its silence.
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

/** The content of an event of a running job: its record, or the result of its endpoint. */
interface Pending {
  readonly status?: string;
  readonly progress?: Progress | Readonly<Partial<Record<'posts' | 'reels', Progress>>>;
}

/** @returns the record updated by an event; undefined if the record must be loaded again, as at the end */
function updatedRecord(record: Download, data: string): Download | undefined {
  const event = JSON.parse(data) as Pending & { readonly data?: Pending };
  const { status, progress } = event.data?.status === undefined ? event : event.data;
  if (status !== 'pending') return undefined;
  const part = record.type === 'imgnet_list_reels' ? 'reels' : 'posts';
  const own = progress === undefined || 'stage' in progress ? progress : progress[part];
  return { ...record, progress: own };
}
