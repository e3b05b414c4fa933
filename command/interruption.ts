import { onSignal, type Signals } from '../local/run-until-signal.ts';

/** npm and the launcher send the same Ctrl-C a second time within this time. */
const ONE_KEY_PRESS_MS = 500;

/** The first signal stops the command gracefully; the second one ends it at once. */
export function onInterruption(signals: Signals, now?: () => number) {
  const interruption = new AbortController();
  const code = new Promise<number>((resolve) => {
    onSignal(
      (name, exitCode) => {
        interruption.abort(new Error(`${name}: stopped`));
        resolve(exitCode);
      },
      { signals, onePressMs: ONE_KEY_PRESS_MS, ...(now === undefined ? {} : { now }) },
    );
  });
  return { /** Aborted by the first signal. */ signal: interruption.signal, code };
}

/** Returns the message for a user who stops waiting. @param ids of the jobs that the command waited for */
export function interruptionMessages(ids: readonly string[], isEmbedded: boolean): readonly string[] {
  if (ids.length === 0) return ['Stopped.'];
  const go = isEmbedded ? 'continue when the service runs again' : 'continue in the service';
  return [
    `Stopped waiting. Jobs ${go}: ${ids.join(', ')}`,
    'The same command waits for them again; tapedeck cancel ID ends one.',
  ];
}
