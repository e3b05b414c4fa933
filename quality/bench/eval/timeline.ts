import type { RttmSegment } from '../../../contract/text/rttm.ts';

type Labelled = Omit<RttmSegment, 'file'>;

export interface TimelinePart {
  readonly name: string;
  readonly durationSeconds: number;
  readonly reference: readonly Labelled[];
  readonly found: readonly Labelled[];
}

const COLOURS = ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#bbbbbb'];
const LEFT = 150;
const WIDTH = 900;
const LANE = 14;
const GAP = 26;

/** A picture of all recordings: for each, the segments of the reference above those that were found. SVG text. */
export function timelineOf(parts: readonly TimelinePart[]): string {
  let y = 10;
  const shapes = parts.map((part) => {
    const lanes = [
      ...lanesOf(part.reference).map((lane) => ({ ...lane, title: `reference ${lane.speaker}` })),
      ...lanesOf(part.found).map((lane) => ({ ...lane, title: `found ${lane.speaker}` })),
    ];
    const top = y;
    y += 18 + lanes.length * (LANE + 4) + GAP;
    const scale = WIDTH / Math.max(1, part.durationSeconds);
    const rows = lanes.map(({ title, segments, colour }, i) => {
      const at = top + 18 + i * (LANE + 4);
      const bars = segments.map(
        ({ startSeconds, endSeconds }) =>
          `<rect x="${(LEFT + startSeconds * scale).toFixed(1)}" y="${at}" width="${Math.max(1, (endSeconds - startSeconds) * scale).toFixed(1)}" height="${LANE}" fill="${colour}"/>`,
      );
      return `<text x="${LEFT - 8}" y="${at + LANE - 3}" text-anchor="end">${escaped(title)}</text>${bars.join('')}`;
    });
    const below = top + 18 + lanes.length * (LANE + 4);
    const axis =
      `<path d="M${LEFT} ${below}h${WIDTH}" stroke="#888"/>` +
      `<text x="${LEFT}" y="${below + 12}">0 s</text>` +
      `<text x="${LEFT + WIDTH}" y="${below + 12}" text-anchor="end">${part.durationSeconds.toFixed(0)} s</text>`;
    return `<text x="${LEFT}" y="${top + 12}" font-weight="bold">${escaped(part.name)}</text>${rows.join('')}${axis}`;
  });
  const size = `width="${LEFT + WIDTH + 20}" height="${y}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>\n${shapes.join('\n')}\n</svg>\n`;
}

function lanesOf(segments: readonly Labelled[]): { speaker: string; segments: Labelled[]; colour: string }[] {
  return [...new Set(segments.map((segment) => segment.speaker))].map((speaker, i) => ({
    speaker,
    segments: segments.filter((segment) => segment.speaker === speaker),
    colour: COLOURS[i % COLOURS.length] ?? '#000000',
  }));
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
