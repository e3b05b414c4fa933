/** A line as the recogniser hears it. */
export interface SpokenLine {
  readonly startMs: number;
  readonly durationMs: number;
  readonly words: readonly string[];
}

/** A rolling display in the platform's JSON: a line lasts on while the next one is spoken. */
export function rollingJson3(lines: readonly SpokenLine[]): string {
  const events = lines.flatMap((line, index) => [
    { tStartMs: line.startMs, dDurationMs: 1, wWinId: 1, aAppend: 1, segs: [{ utf8: '\n' }] },
    {
      tStartMs: line.startMs,
      dDurationMs: line.durationMs + (lines[index + 1]?.durationMs ?? 0),
      wWinId: 1,
      segs: line.words.map((word, n) => ({ utf8: n === 0 ? word : ` ${word}`, tOffsetMs: n })),
    },
  ]);
  return JSON.stringify({ wireMagic: 'pb3', events: [{ tStartMs: 0, dDurationMs: 1, id: 1 }, ...events] });
}

/** The same in WebVTT: a line is shown while it is spoken, alone for an instant, and above the next one. */
export function rollingVtt(lines: readonly SpokenLine[]): string {
  const cues = lines.flatMap((line, index) => {
    const endMs = line.startMs + line.durationMs;
    const above = lines[index - 1]?.words.join(' ') ?? ' ';
    const [first = '', ...rest] = line.words;
    const timed = rest.map((word, n) => `<${clock(line.startMs + n + 1)}><c> ${word}</c>`).join('');
    return [
      `${clock(line.startMs)} --> ${clock(endMs)} align:start position:0%\n${above}\n${first}${timed}\n`,
      `${clock(endMs)} --> ${clock(endMs + 10)} align:start position:0%\n${line.words.join(' ')}\n \n`,
    ];
  });
  return `WEBVTT\nKind: captions\nLanguage: en\n\n${cues.join('\n')}`;
}

function clock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
