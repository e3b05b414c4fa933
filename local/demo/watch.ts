import { setTimeout as delay } from 'node:timers/promises';
import type { Progress } from '../../contract/http/fields.ts';
import { createProgressView, sizeText } from '../../runtime/terminal-progress.ts';
import type { Terminal } from './terminal.ts';

const POLL_MS = 100;

/** Shows the progress of a job until it has ended. @param look requests its current state */
export async function watch<State extends { readonly status: string; readonly progress?: Progress | undefined }>(
  look: () => Promise<State>,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<State> {
  const line = (text: string, percent?: number): void =>
    terminal.fact('Progress', `${(percent === undefined ? '' : `${Math.round(percent)} %`).padStart(5)}  ${text}`);
  const view = createProgressView({ terminal: terminal.live, title: '', line, stepPercent: 25 });
  let state = await look();
  try {
    for (; state.status === 'pending'; state = await look()) {
      const { progress } = state;
      if (progress !== undefined) view.show(progress.stage, progress.percent, describe(progress));
      await delay(POLL_MS, undefined, { signal });
    }
    return state;
  } finally {
    view.end(state.status === 'success' ? 'done' : undefined);
  }
}

function describe({ stage, downloaded_bytes: bytes }: Progress): string {
  return bytes === undefined ? stage : `${stage} ${sizeText(bytes)}`;
}
