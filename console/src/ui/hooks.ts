import { useSyncExternalStore } from 'preact/compat';
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

const narrow = matchMedia('(max-width: 640px)');

function subscribeToWidth(onChange: () => void): () => void {
  narrow.addEventListener('change', onChange);
  return () => narrow.removeEventListener('change', onChange);
}

/** Whether the window is as narrow as a phone's. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribeToWidth, () => narrow.matches);
}
