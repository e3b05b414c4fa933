import type { z } from 'zod';
import { setTimeout as delay } from 'node:timers/promises';
import type { Progress } from '../../contract/fields.ts';
import { createProgressView, sizeText } from '../../runtime/progress.ts';
import { secondsText, type Terminal } from './terminal.ts';

const REQUEST_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
const STALLED_AFTER_MS = 120_000;

export type Service = ReturnType<typeof createService>;

/** Calls the service as others do: REST and nothing else. @param signal ends every request */
export function createService(restUrl: string, signal: AbortSignal) {
  /** @throws when it refuses, or answers something else than the contract promises */
  return async <Body>(path: string, schema: z.ZodType<Body>, body?: unknown) => {
    const response = await fetch(restUrl + path, {
      method: body === undefined ? 'GET' : 'POST',
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    const { status } = response;
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${String(status)}: ${text.slice(0, 500)}`);
    const isJson = response.headers.get('Content-Type')?.includes('json') === true;
    return { status, body: schema.parse(isJson ? JSON.parse(text) : text) };
  };
}

/**
 * Shows the progress of a job until it has ended.
 *
 * @param look asks how the job is now
 * @throws when it stands still
 */
export async function watch<State extends { readonly status: string; readonly progress?: Progress | undefined }>(
  look: () => Promise<State>,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<State> {
  const line = (text: string, percent?: number): void =>
    terminal.fact('Progress', `${(percent === undefined ? '' : `${Math.round(percent)} %`).padStart(5)}  ${text}`);
  const view = createProgressView({ terminal: terminal.live, title: '', line, stepPercent: 25 });
  let [state, changedAt] = [await look(), Date.now()];
  try {
    while (state.status === 'pending') {
      const { progress } = state;
      if (progress !== undefined) view.show(progress.stage, progress.percent, describe(progress));
      await delay(POLL_MS, undefined, { signal });
      state = await look();
      if (JSON.stringify(state.progress) !== JSON.stringify(progress)) changedAt = Date.now();
      const text = `the job has stood still for ${secondsText(STALLED_AFTER_MS)} at ${JSON.stringify(progress)}`;
      if (Date.now() - changedAt > STALLED_AFTER_MS) throw new Error(text);
    }
    return state;
  } finally {
    view.end(state.status === 'success' ? 'done' : undefined);
  }
}

function describe({ stage, downloaded_bytes: bytes, total_bytes: total, ...rest }: Progress): string {
  const { items, total_items: windows = 0 } = rest;
  if (stage === 'transcribing' && windows > 1) return `${stage} ${String(items)} of ${String(windows)} windows`;
  if (stage !== 'fetching' || bytes === undefined) return stage;
  return `${stage} ${sizeText(bytes)}${total === undefined ? '' : ` of ${sizeText(total)}`}`;
}
