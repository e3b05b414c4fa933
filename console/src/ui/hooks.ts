import { useCallback, useEffect, useState } from 'preact/hooks';

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly thrown: unknown;
  readonly again: () => void;
}

/** Loads something, anew whenever what it depends on changes; what is there stays until the new one has come. */
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

/** Now, told anew every so often. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** @returns runs something that somebody has asked for; tells whether it runs, and how it went wrong */
export function useAction(): {
  readonly isRunning: boolean;
  readonly thrown: unknown;
  readonly run: (work: () => Promise<void>) => void;
} {
  const [state, setState] = useState<{ isRunning: boolean; thrown: unknown }>({ isRunning: false, thrown: undefined });
  const run = useCallback((work: () => Promise<void>): void => {
    setState({ isRunning: true, thrown: undefined });
    work().then(
      () => setState({ isRunning: false, thrown: undefined }),
      (thrown: unknown) => setState({ isRunning: false, thrown }),
    );
  }, []);
  return { ...state, run };
}

/** Whether the window is as narrow as a phone. */
export function useIsNarrow(): boolean {
  const [query] = useState(() => matchMedia('(max-width: 640px)'));
  const [isNarrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const told = (): void => setNarrow(query.matches);
    query.addEventListener('change', told);
    return () => query.removeEventListener('change', told);
  }, [query]);
  return isNarrow;
}
