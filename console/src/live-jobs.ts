import { useEffect, useState } from 'preact/hooks';
import { isBatchEnded } from './batch/batch-parts.tsx';
import type { BatchAnswer, BatchEvent } from '../../contract/batches/batch-answers.ts';
import { TapedeckError } from '../../clients/typescript/src/client-errors.ts';
import { read, send } from './console-api.ts';
import { textsOf } from '../../clients/typescript/src/event-parser.ts';
import { pause } from '../../clients/typescript/src/pause.ts';
import { apiKey } from './session.ts';
import type { Download } from './types.ts';

/** Whether updates arrive: `lost` means that the connection is interrupted. */
export type Connection = 'connecting' | 'live' | 'lost';

interface Callbacks {
  readonly onConnection: (connection: Connection) => void;
  /** Called with an error that a retry cannot resolve. */
  readonly onProblem: (problem: unknown) => void;
}

interface Watcher<Value> extends Callbacks {
  readonly onChange: (value: Value) => void;
}

/** How often a job is loaded of which no event arrives, such as one of another caller. Such polls are not limited. */
const POLL_MS = 15_000;
const RECONNECT_MS = [500, 1_000, 2_000, 5_000, 10_000] as const;

export function watchDownload(id: string, { onChange, ...callbacks }: Watcher<Download>): () => void {
  let load = (): void => undefined;
  let leave: (() => void) | undefined;
  const join = (): (() => void) =>
    watchDownloads({
      onConnection(connection) {
        callbacks.onConnection(connection);
        // Events may have been missed before.
        if (connection === 'live') load();
      },
      // The next load has the same problem.
      onProblem: () => load(),
      onChange(record) {
        if (record.id !== id) return;
        if (record.status === 'pending') onChange(record);
        else load();
      },
    });
  const stop = keepConnected(callbacks, async (signal, onOpen) => {
    for (;;) {
      const isDue = new Promise<void>((resolve) => (load = resolve));
      const { data } = await read<{ data: Download }>(`/downloads/${id}`, signal);
      onOpen();
      onChange(data);
      if (data.status !== 'pending') break;
      leave ??= join();
      await Promise.race([isDue, pause(POLL_MS, signal)]);
    }
    leave?.();
    return 'ended';
  });
  return () => {
    leave?.();
    stop();
  };
}

/**
 * Follows all downloads of a caller: those that run, and each that starts, changes or ends. All tabs with the same key share one
 * stream, because a browser has six connections for all of its tabs. A hidden tab leaves it to the others.
 */
export function watchDownloads(watcher: Watcher<Download>): () => void {
  return whileVisible(() => joinStream(watcher));
}

/** A hidden tab leaves its stream. */
function whileVisible(follow: () => () => void): () => void {
  let end = follow();
  const onSeen = (): void => {
    end();
    if (!document.hidden) end = follow();
  };
  document.addEventListener('visibilitychange', onSeen);
  return () => {
    document.removeEventListener('visibilitychange', onSeen);
    end();
  };
}

/** Follows a batch to its end. A hidden tab leaves its stream, because a browser has six connections for all of its tabs. */
export function watchBatch(id: string, { onChange, ...callbacks }: Watcher<BatchAnswer>): () => void {
  return whileVisible(() => {
    let last: BatchAnswer | undefined;
    const onEvent = (data: string): void => onChange((last = (JSON.parse(data) as BatchEvent).batch));
    return keepConnected(callbacks, async (signal, onOpen) => {
      await readStream(`/api/batches/${id}/events`, { signal, onOpen, onEvent });
      return last !== undefined && isBatchEnded(last) ? 'ended' : 'cut';
    });
  });
}

/** A message between tabs: the arrival of a tab, the state of the stream, or a record that the stream delivered. */
type Message = 'joined' | { readonly connection: Connection } | { readonly record: Download };

/** The tab that holds the lock reads the stream and sends what it reads to the others. */
function joinStream({ onConnection, onProblem, onChange }: Watcher<Download>): () => void {
  // Only HTTPS and loopback have locks. Elsewhere each tab has a stream and a channel of its own.
  const locks = (navigator as { readonly locks?: LockManager }).locks;
  const name = `tapedeck.events ${locks === undefined ? String(Math.random()) : (apiKey.get() ?? '')}`;
  const channel = new BroadcastChannel(name);
  let last: Connection = 'connecting';
  const take = (message: Exclude<Message, 'joined'>): void => {
    if ('record' in message) onChange(message.record);
    else if (message.connection !== last) onConnection((last = message.connection));
  };
  const send = (message: Exclude<Message, 'joined'>): void => {
    take(message);
    channel.postMessage(message);
  };
  const end = new AbortController();
  const lead = (): Promise<void> => {
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data === 'joined') channel.postMessage({ connection: last });
    });
    send({ connection: 'connecting' });
    return new Promise((resolve) => {
      const onEvent = (data: string): void => send({ record: (JSON.parse(data) as { readonly data: Download }).data });
      const callbacks = {
        onConnection: (connection: Connection) => send({ connection }),
        onProblem(problem: unknown) {
          onProblem(problem);
          resolve();
        },
      };
      const stop = keepConnected(callbacks, (signal, onOpen) =>
        readStream('/api/downloads/events', { signal, onOpen, onEvent }),
      );
      end.signal.addEventListener('abort', () => {
        stop();
        resolve();
      });
    });
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data !== 'joined') take(data);
  });
  channel.postMessage('joined');
  // A request that is aborted is rejected, as intended.
  if (locks === undefined) void lead();
  else locks.request(name, { signal: end.signal }, lead).catch(() => undefined);
  return () => {
    end.abort();
    channel.close();
  };
}

/** Follows a job or a batch. @param round a changed one follows it anew */
export function useWatched<Value>(watch: (id: string, watcher: Watcher<Value>) => () => void, id: string, round = 0) {
  const [value, setValue] = useState<Value>();
  const [connection, setConnection] = useState<Connection>('connecting');
  const [problem, setProblem] = useState<unknown>();
  const onChange = (next: Value): void => {
    setProblem(undefined);
    setValue(() => next);
  };
  useEffect(() => watch(id, { onConnection: setConnection, onProblem: setProblem, onChange }), [id, round]);
  return { value, setValue, connection, problem };
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
        const { status = 0, retryAfterSeconds = 0 } = error instanceof TapedeckError ? error : {};
        if (status >= 400 && status < 500 && status !== 429) {
          onProblem(error);
          return;
        }
        onConnection('lost');
        const backOff = RECONNECT_MS[Math.min(failures, RECONNECT_MS.length - 1)] ?? 0;
        failures += 1;
        await pause(Math.max(backOff, retryAfterSeconds * 1000), signal);
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
  readonly onEvent: (data: string) => void;
}

/** Reads an event stream until the connection is cut. @throws TapedeckError when it is refused */
async function readStream(path: string, { signal, onOpen, onEvent }: Reading): Promise<'cut'> {
  const offline = new AbortController();
  // Otherwise a lost connection would be noticed only by its silence.
  const stop = (): void => offline.abort();
  addEventListener('offline', stop);
  try {
    const headers = { Accept: 'text/event-stream' };
    const response = await send(path, { headers, signal: AbortSignal.any([signal, offline.signal]) });
    onOpen();
    for await (const data of textsOf(response.body ?? new ReadableStream())) onEvent(data);
    return 'cut';
  } finally {
    removeEventListener('offline', stop);
  }
}
