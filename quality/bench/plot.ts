import type { Finding } from './part.ts';
import { rounded } from './rounds.ts';

const LABEL_WIDTH = 330;
const BAR_WIDTH = 300;
const TEXT_WIDTH = 330;
const ROW = 30;
const BAR = 10;
const [OURS, THEIRS] = ['#4477aa', '#bbbbbb'];

/** A picture of what a part has found: for each finding a bar, and below it that of its reference, on one scale. SVG text. */
export function plotOf(title: string, findings: readonly Finding[]): string {
  const rows = findings.map(({ what, unit, value, reference }, index) => {
    const y = 30 + index * ROW;
    const scale = BAR_WIDTH / Math.max(value, reference?.value ?? 0, Number.MIN_VALUE);
    const bar = (length: number, top: number, colour: string): string =>
      `<rect x="${String(LABEL_WIDTH)}" y="${String(top)}" width="${(length * scale).toFixed(1)}" height="${String(BAR)}" fill="${colour}"/>`;
    const text = ([x, top]: readonly [number, number], anchor: 'start' | 'end', words: string): string =>
      `<text x="${String(x)}" y="${String(top + 9)}" text-anchor="${anchor}">${escaped(words)}</text>`;
    const beside = LABEL_WIDTH + BAR_WIDTH + 8;
    const compared =
      reference && `${numberOf(reference.value)} ${reference.what}: ratio ${numberOf(value / reference.value)}`;
    return [
      text([LABEL_WIDTH - 8, y], 'end', what),
      reference === undefined ? '' : bar(value, y, OURS) + bar(reference.value, y + BAR, THEIRS),
      text([beside, y], 'start', `${numberOf(value)} ${unit}`),
      compared === undefined ? '' : text([beside, y + BAR], 'start', compared),
    ].join('');
  });
  const size = `width="${String(LABEL_WIDTH + BAR_WIDTH + TEXT_WIDTH)}" height="${String(40 + findings.length * ROW)}"`;
  const head = `<text x="8" y="18" font-weight="bold">${escaped(title)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>\n${[head, ...rows].join('\n')}\n</svg>\n`;
}

const numberOf = (value: number): string => String(rounded(value));

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${String(char.charCodeAt(0))};`);
}
