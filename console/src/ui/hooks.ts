import { useCallback, useEffect, useState } from 'preact/hooks';

/** Loads data again whenever its dependencies change; the previous data stays until the new data has arrived. */
export function useLoaded<Value>(load: (signal: AbortSignal) => Promise<Value>, dependsOn: readonly unknown[]) {
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
  useEvery(
    everyMs,
    useCallback(() => setNow(Date.now()), []),
  );
  return now;
}

/** @returns a function that runs a user's action, with its state and its error */
export function useAction() {
  const [state, setState] = useState<{ isRunning: boolean; thrown?: unknown }>({ isRunning: false });
  const run = useCallback((work: () => Promise<unknown>): void => {
    setState({ isRunning: true });
    work().then(
      () => setState({ isRunning: false }),
      (thrown: unknown) => setState({ isRunning: false, thrown }),
    );
  }, []);
  return { isRunning: state.isRunning, thrown: state.thrown, run };
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
