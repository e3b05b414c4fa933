import { styleText } from 'node:util';

const LABEL_CHARS = 12;

export type Terminal = ReturnType<typeof createTerminal>;

export function createTerminal(out: NodeJS.WriteStream, env: Readonly<Record<string, string | undefined>>) {
  const isLive = out.isTTY && env['TERM'] !== 'dumb';
  const style = (format: 'bold' | 'dim' | 'red', text: string): string =>
    isLive && !env['NO_COLOR'] ? styleText(format, text, { validateStream: false }) : text;
  const print = (text: string): void => void out.write(`${text}\n`);
  return {
    /** Undefined where a progress bar makes no sense. */
    live: isLive ? out : undefined,
    heading: (text: string) => print(`\n${style('bold', text)}`),
    /** Lines behind a label. */
    fact: (label: string, ...lines: readonly string[]) =>
      lines.forEach((line, index) =>
        print(`  ${style('dim', (index === 0 ? label : '').padEnd(LABEL_CHARS))} ${line}`),
      ),
    note: (text: string) => text.split('\n').forEach((line) => print(`  ${style('dim', line)}`)),
    /** Text in which line breaks count, such as JSON. */
    block: (text: string) => text.split('\n').forEach((line) => print(`  ${line}`)),
    failure: (text: string) => print(`\n${style('red', text)}`),
  };
}

export function secondsText(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}
