import { styleText } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import type { Progress } from '../../contract/http/fields.ts';
import { createProgressView, sizeText } from '../../runtime/terminal-progress.ts';

const LABEL_CHARS = 12;

export type Terminal = ReturnType<typeof createTerminal>;

export function createTerminal(out: NodeJS.WriteStream, env: Readonly<Record<string, string | undefined>>) {
  const isLive = out.isTTY && env['TERM'] !== 'dumb';
  const style = (format: 'bold' | 'dim' | 'red', text: string): string =>
    isLive && !env['NO_COLOR'] ? styleText(format, text, { validateStream: false }) : text;
  const print = (text: string): void => void out.write(`${text}\n`);
  return {
    live: isLive ? out : undefined,
    heading: (text: string) => print(`\n${style('bold', text)}`),
    fact: (label: string, ...lines: readonly string[]) =>
      lines.forEach((line, index) =>
        print(`  ${style('dim', (index === 0 ? label : '').padEnd(LABEL_CHARS))} ${line}`),
      ),
    note: (text: string) => text.split('\n').forEach((line) => print(`  ${style('dim', line)}`)),
    block: (text: string) => text.split('\n').forEach((line) => print(`  ${line}`)),
    failure: (text: string) => print(`\n${style('red', text)}`),
  };
}

export function secondsText(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

const POLL_MS = 100;

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
