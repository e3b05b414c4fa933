import { useCallback, useEffect, useState } from 'preact/hooks';
import { authorization } from '../console-api.ts';

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly thrown: unknown;
  readonly again: () => void;
}

/** Loads data again whenever its dependencies change; the previous data stays until the new data has arrived. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependsOn: readonly unknown[],
): Loaded<Value> {
  const [value, setValue] = useState<Value>();
  const [thrown, setThrown] = useState<unknown>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const end = new AbortController();
    setThrown(undefined);
    load(end.signal).then(
      (loaded) => {
        if (!end.signal.aborted) setValue(() => loaded);
      },
      (error: unknown) => {
        if (!end.signal.aborted) setThrown(error);
      },
    );
    return () => end.abort();
  }, [...dependsOn, round]);
  return { value, thrown, again: useCallback(() => setRound((before) => before + 1), []) };
}

/** Calls a function again and again while it is wanted. */
export function useEvery(everyMs: number, work: () => void, isWanted = true): void {
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(work, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, work, isWanted]);
}

export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** @returns a function that runs a user's action, with its state and its error */
export function useAction(): {
  readonly isRunning: boolean;
  readonly thrown: unknown;
  readonly run: (work: () => Promise<unknown>) => void;
} {
  const [state, setState] = useState<{ isRunning: boolean; thrown: unknown }>({ isRunning: false, thrown: undefined });
  const run = useCallback((work: () => Promise<unknown>): void => {
    setState({ isRunning: true, thrown: undefined });
    work().then(
      () => setState({ isRunning: false, thrown: undefined }),
      (thrown: unknown) => setState({ isRunning: false, thrown }),
    );
  }, []);
  return { ...state, run };
}

/** Whether the window is as narrow as a phone's. */
export function useIsNarrow(): boolean {
  const [query] = useState(() => matchMedia('(max-width: 640px)'));
  const [isNarrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const onQueryChange = (): void => setNarrow(query.matches);
    query.addEventListener('change', onQueryChange);
    return () => query.removeEventListener('change', onQueryChange);
  }, [query]);
  return isNarrow;
}

/**
 * Loads a picture of a platform through the service, so that the host of the picture learns nothing about the viewer.
 * @returns a URL for an image element; undefined while it is loading and where there is no picture
 */
export function usePicture(url: string | null | undefined): string | undefined {
  const [source, setSource] = useState<string>();
  useEffect(() => {
    setSource(undefined);
    if (!url || !/^https?:\/\//i.test(url)) return undefined;
    const end = new AbortController();
    let loaded: string | undefined;
    const load = async (): Promise<void> => {
      const options = { headers: authorization(), signal: end.signal };
      const response = await fetch(`/pictures?url=${encodeURIComponent(url)}`, options);
      if (!response.ok) return;
      loaded = URL.createObjectURL(await response.blob());
      if (end.signal.aborted) URL.revokeObjectURL(loaded);
      else setSource(loaded);
    };
    load().catch(() => undefined);
    return () => {
      end.abort();
      if (loaded !== undefined) URL.revokeObjectURL(loaded);
    };
  }, [url]);
  return source;
}
