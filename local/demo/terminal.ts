import { styleText } from 'node:util';

const LABEL_CHARS = 12;
/** Of what is no terminal. */
const DEFAULT_WIDTH_CHARS = 80;
const TINTS = ['cyan', 'yellow', 'green', 'magenta', 'blue'] as const;

/** What the demo says, aligned in two columns. */
export interface Terminal {
  /** Whether somebody watches: then colours and a moving bar make sense. */
  readonly isLive: boolean;
  readonly widthChars: number;
  /** The text in the colour of a number from 0, where there are colours. */
  tinted(text: string, colour: number): string;
  heading(text: string): void;
  /** One line of facts behind a label; further lines stand below the first. */
  fact(label: string, ...lines: readonly string[]): void;
  /** Something by the way. */
  note(text: string): void;
  /** Text in which line breaks count, such as JSON. */
  block(text: string): void;
  failure(text: string): void;
}

export function createTerminal(out: NodeJS.WriteStream, env: Readonly<Record<string, string | undefined>>): Terminal {
  const noColor = env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '';
  const coloured = out.isTTY && !noColor && env['TERM'] !== 'dumb';
  const style = (format: 'bold' | 'dim' | 'red' | (typeof TINTS)[number], text: string): string =>
    coloured ? styleText(format, text, { validateStream: false }) : text;
  const print = (line: string): void => void out.write(`${line}\n`);
  return {
    isLive: out.isTTY && env['TERM'] !== 'dumb',
    // Not known of a pipe, and 0 in some terminals.
    widthChars: (out as { columns?: number }).columns || DEFAULT_WIDTH_CHARS,
    tinted: (text, colour) => style(TINTS[colour % TINTS.length] ?? 'cyan', text),
    heading: (text) => print(`\n${style('bold', text)}`),
    fact(label, ...lines) {
      lines.forEach((line, index) => {
        const name = (index === 0 ? label : '').padEnd(LABEL_CHARS);
        print(`  ${style('dim', name)} ${line}`);
      });
    },
    note: (text) => text.split('\n').forEach((line) => print(`  ${style('dim', line)}`)),
    block: (text) => text.split('\n').forEach((line) => print(`  ${line}`)),
    failure: (text) => print(`\n${style('red', text)}`),
  };
}
