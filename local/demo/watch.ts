import { setTimeout as delay } from 'node:timers/promises';
import type { Progress } from '../../contract/fields.ts';
import { secondsText } from './format.ts';
import { createProgressView } from './progress.ts';
import type { Terminal } from './terminal.ts';

const POLL_MS = 100;
const STALLED_AFTER_MS = 120_000;

interface Watched {
  readonly status: string;
  readonly progress?: Progress | undefined;
}

/**
 * Shows the progress of a job until it has ended.
 *
 * @param look asks how the job is now
 * @throws when it stands still
 */
export async function watch<State extends Watched>(
  look: () => Promise<State>,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<State> {
  const view = createProgressView(terminal);
  let done = false;
  try {
    let last = { text: '', at: Date.now() };
    for (;;) {
      const state = await look();
      if (state.status !== 'pending') {
        done = state.status === 'success';
        return state;
      }
      if (state.progress !== undefined) view.show(state.progress);
      const text = JSON.stringify(state.progress);
      if (text !== last.text) last = { text, at: Date.now() };
      if (Date.now() - last.at > STALLED_AFTER_MS) {
        throw new Error(`the job has stood still for ${secondsText(STALLED_AFTER_MS)} at ${text}`);
      }
      await delay(POLL_MS, undefined, { signal });
    }
  } finally {
    view.end(done);
  }
}
