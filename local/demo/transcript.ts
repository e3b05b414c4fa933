import type { SpeakerLabelsBody } from '../../contract/kinds/speaker-labels.ts';
import type { Terminal } from './terminal.ts';

type Segments = SpeakerLabelsBody['data']['transcriptsWithTimeStamps'];

/** Longer lines are hard to read, on however wide a screen. */
const MAX_LINE_CHARS = 100;
const MIN_TEXT_CHARS = 20;
const INDENT_CHARS = 2;

/** Shows who says what, in columns: when, who, and the words. Each speaker has a colour where there are colours. */
export function showTranscript(segments: Segments, terminal: Terminal): void {
  const speakers = [...new Set(segments.map(({ speaker }) => speaker))];
  const times = segments.map(({ start }) => clock(start));
  const timeChars = Math.max(...times.map((time) => time.length));
  const nameChars = Math.max(...speakers.map((name) => name.length));
  const width = Math.min(terminal.widthChars, MAX_LINE_CHARS);
  const textChars = Math.max(MIN_TEXT_CHARS, width - INDENT_CHARS - timeChars - nameChars - 4);
  segments.forEach(({ speaker, text }, index) => {
    const name = terminal.tinted(speaker.padEnd(nameChars), speakers.indexOf(speaker));
    wrapped(text, textChars).forEach((line, number) => {
      const head =
        number === 0 ? `${(times[index] ?? '').padStart(timeChars)}  ${name}` : ' '.repeat(timeChars + 2 + nameChars);
      terminal.block(`${head}  ${line}`);
    });
  });
}

/** @returns such as `1:05` or `1:00:05` */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 60) % 60, whole % 60].map((part) => String(part).padStart(2, '0'));
  const hours = Math.floor(whole / 3600);
  return hours > 0 ? [String(hours), ...parts].join(':') : parts.join(':').replace(/^0(?=\d:)/, '');
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
