export interface Utterance {
  readonly startMs: number;
  readonly durationMs: number;
  readonly text: string;
}

/** The recogniser breaks a line before this many characters. */
const LINE_MAX_CHARS = 40;
/** Between a line and the moment at which the display rolls. */
const ROLL_MS = 10;
/** A display of two rolling lines, as the platform describes it. */
const ROLLING_WINDOW = {
  wsWinStyles: [{}, { mhModeHint: 2, juJustifCode: 0, sdScrollDir: 3 }],
  wpWinPositions: [{}, { apPoint: 6, ahHorPos: 20, avVerPos: 100, rcRows: 2, ccCols: LINE_MAX_CHARS }],
};
const POSITION = 'align:start position:0%';

/** Captions as an author writes them, in WebVTT. */
export function manualVtt(utterances: readonly Utterance[], language: string): string {
  const cues = utterances.map((u) => `${vttTime(u.startMs)} --> ${vttTime(endMs(u))}\n${u.text}\n`);
  return `WEBVTT\nKind: captions\nLanguage: ${language}\n\n${cues.join('\n')}`;
}

/** The same in the platform's own JSON. */
export function manualJson3(utterances: readonly Utterance[]): string {
  const events = utterances.map((u) => ({
    tStartMs: u.startMs,
    dDurationMs: u.durationMs,
    segs: [{ utf8: u.text }],
  }));
  return json3({ wsWinStyles: [{}], wpWinPositions: [{}] }, events);
}

/**
 * Captions as the platform's recogniser makes them: no capitals, a time per word, lines that stay on the screen while the next
 * one is spoken, and between them events that only break the line.
 */
export function automaticJson3(utterances: readonly Utterance[]): string {
  const lines = utterances.flatMap(recognise);
  const total = lines.at(-1)?.endMs ?? 0;
  // Opens the window; it says nothing.
  const events: object[] = [{ tStartMs: 0, dDurationMs: total, id: 1, wpWinPosId: 1, wsWinStyleId: 1 }];
  lines.forEach((line, index) => {
    const shownUntilMs = lines[index + 1]?.endMs ?? line.endMs;
    if (index > 0) {
      const tStartMs = line.startMs - ROLL_MS;
      events.push({ tStartMs, dDurationMs: line.endMs - tStartMs, wWinId: 1, aAppend: 1, segs: [{ utf8: '\n' }] });
    }
    const segs = line.words.map(({ word, atMs }, n) =>
      n === 0 ? { utf8: word, acAsrConf: 0 } : { utf8: ` ${word}`, tOffsetMs: atMs - line.startMs, acAsrConf: 0 },
    );
    events.push({ tStartMs: line.startMs, dDurationMs: shownUntilMs - line.startMs, wWinId: 1, segs });
  });
  return json3(ROLLING_WINDOW, events);
}

/** The same in WebVTT: every line comes three times, while it is spoken, alone for an instant, and above the next one. */
export function automaticVtt(utterances: readonly Utterance[]): string {
  const lines = utterances.flatMap(recognise);
  const cues = lines.flatMap((line, index) => {
    const next = lines[index + 1];
    const spokenUntilMs = next === undefined ? line.endMs : next.startMs - ROLL_MS;
    const above = index === 0 ? ' ' : textOf(lines[index - 1]);
    const [first, ...rest] = line.words;
    const words = rest.map(({ word, atMs }) => `<${vttTime(atMs)}><c> ${word}</c>`).join('');
    const spoken = `${cueTime(line.startMs, spokenUntilMs)}\n${above}\n${first?.word ?? ''}${words}\n`;
    return next === undefined ? [spoken] : [spoken, `${cueTime(spokenUntilMs, next.startMs)}\n${textOf(line)}\n \n`];
  });
  return `WEBVTT\nKind: captions\nLanguage: en\n\n${cues.join('\n')}`;
}

interface RecognisedLine {
  readonly startMs: number;
  readonly endMs: number;
  readonly words: readonly { readonly word: string; readonly atMs: number }[];
}

function recognise(u: Utterance): RecognisedLine[] {
  const words = timedWords(u);
  const lines: (typeof words)[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    const chars = line?.reduce((sum, one) => sum + one.word.length + 1, 0) ?? Infinity;
    if (line === undefined || chars + word.word.length > LINE_MAX_CHARS) lines.push([word]);
    else line.push(word);
  }
  return lines.map((line, index) => ({
    startMs: line[0]?.atMs ?? u.startMs,
    endMs: lines[index + 1]?.[0]?.atMs ?? endMs(u),
    words: line,
  }));
}

function timedWords(u: Utterance): { word: string; atMs: number }[] {
  const words = u.text
    .toLowerCase()
    .replace(/[.,?!]/g, '')
    .split(' ');
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  let before = 0;
  return words.map((word) => {
    const atMs = u.startMs + Math.round((before / letters) * u.durationMs);
    before += word.length;
    return { word, atMs };
  });
}

function textOf(line: RecognisedLine | undefined): string {
  return line?.words.map(({ word }) => word).join(' ') ?? '';
}

function endMs(u: Utterance): number {
  return u.startMs + u.durationMs;
}

function json3(window: object, events: readonly object[]): string {
  return `${JSON.stringify({ wireMagic: 'pb3', pens: [{}], ...window, events })}\n`;
}

function cueTime(startMs: number, untilMs: number): string {
  return `${vttTime(startMs)} --> ${vttTime(untilMs)} ${POSITION}`;
}

function vttTime(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
