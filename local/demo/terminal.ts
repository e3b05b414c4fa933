import { styleText } from 'node:util';
import type { SpeakerLabelsBody } from '../../contract/kinds/speaker-labels.ts';

const LABEL_CHARS = 12;
const TINTS = ['cyan', 'yellow', 'green', 'magenta', 'blue'] as const;
/** Longer lines are hard to read, on however wide a screen. */
const MAX_LINE_CHARS = 100;
const MIN_TEXT_CHARS = 20;

type Segments = SpeakerLabelsBody['data']['transcriptsWithTimeStamps'];
export type Terminal = ReturnType<typeof createTerminal>;

/** What the demo says, aligned in two columns. */
export function createTerminal(out: NodeJS.WriteStream, env: Readonly<Record<string, string | undefined>>) {
  const isLive = out.isTTY && env['TERM'] !== 'dumb';
  const style = (format: 'bold' | 'dim' | 'red' | (typeof TINTS)[number], text: string): string =>
    isLive && !env['NO_COLOR'] ? styleText(format, text, { validateStream: false }) : text;
  const print = (text: string): void => void out.write(`${text}\n`);
  return {
    /** Where somebody watches, and a moving bar makes sense. */
    live: isLive ? out : undefined,
    // Not known of a pipe, and 0 in some terminals.
    widthChars: (out as { columns?: number }).columns || 80,
    /** The text in the colour of a number from 0, where there are colours. */
    tinted: (text: string, colour: number) => style(TINTS[colour % TINTS.length] ?? 'cyan', text),
    heading: (text: string) => print(`\n${style('bold', text)}`),
    /** One line of facts behind a label; further lines stand below the first. */
    fact: (label: string, ...lines: readonly string[]) =>
      lines.forEach((line, index) =>
        print(`  ${style('dim', (index === 0 ? label : '').padEnd(LABEL_CHARS))} ${line}`),
      ),
    /** Something by the way. */
    note: (text: string) => text.split('\n').forEach((line) => print(`  ${style('dim', line)}`)),
    /** Text in which line breaks count, such as JSON. */
    block: (text: string) => text.split('\n').forEach((line) => print(`  ${line}`)),
    failure: (text: string) => print(`\n${style('red', text)}`),
  };
}

/** Shows who says what, in columns: when, who, and the words. Each speaker has a colour where there are colours. */
export function showTranscript(given: Segments, terminal: Terminal): void {
  const segments = given.map((segment) => ({ ...segment, at: clockText(segment.start) }));
  const speakers = [...new Set(segments.map(({ speaker }) => speaker))];
  const timeChars = Math.max(...segments.map(({ at }) => at.length));
  const nameChars = Math.max(...speakers.map((name) => name.length));
  const width = Math.min(terminal.widthChars, MAX_LINE_CHARS) - timeChars - nameChars - 6;
  const blank = ' '.repeat(timeChars + 2 + nameChars);
  for (const { speaker, at, text } of segments) {
    const head = `${at.padStart(timeChars)}  ${terminal.tinted(speaker.padEnd(nameChars), speakers.indexOf(speaker))}`;
    const lines = wrapped(text, Math.max(MIN_TEXT_CHARS, width));
    lines.forEach((line, row) => terminal.block(`${row === 0 ? head : blank}  ${line}`));
  }
}

function wrapped(text: string, maxChars: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && longer.length <= maxChars) lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines;
}

/** Such as `1:05` or `1:00:05`. */
function clockText(seconds: number): string {
  return new Date(seconds * 1000)
    .toISOString()
    .slice(11, 19)
    .replace(/^00:0?|^0/, '');
}

/** Such as `3.2 s`. */
export function secondsText(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}
