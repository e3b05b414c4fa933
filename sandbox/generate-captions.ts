export interface Utterance {
  readonly startMs: number;
  readonly durationMs: number;
  readonly text: string;
}

/** Captions as an author writes them, in WebVTT. */
export function manualVtt(utterances: readonly Utterance[]): string {
  const cues = utterances.map((u) => `${vttTime(u.startMs)} --> ${vttTime(u.startMs + u.durationMs)}\n${u.text}\n`);
  return `WEBVTT\nKind: captions\nLanguage: en\n\n${cues.join('\n')}`;
}

/** The same in the platform's own JSON. */
export function manualJson3(utterances: readonly Utterance[]): string {
  return json3(utterances.map((u) => ({ tStartMs: u.startMs, dDurationMs: u.durationMs, segs: [{ utf8: u.text }] })));
}

/** Captions as the platform's recogniser makes them: no capitals, a time per word, events that overlap like a rolling display. */
export function automaticJson3(utterances: readonly Utterance[]): string {
  const events: object[] = [{ tStartMs: 0, dDurationMs: lastEndMs(utterances), id: 1, wpWinPosId: 1, wsWinStyleId: 1 }];
  utterances.forEach((u, index) => {
    const next = utterances[index + 1];
    const segs = timedWords(u).map(({ word, offsetMs }, n) =>
      n === 0 ? { utf8: word, acAsrConf: 0 } : { utf8: ` ${word}`, tOffsetMs: offsetMs, acAsrConf: 0 },
    );
    if (index > 0) {
      events.push({
        tStartMs: u.startMs - 10,
        dDurationMs: u.durationMs + 10,
        wWinId: 1,
        aAppend: 1,
        segs: [{ utf8: '\n' }],
      });
    }
    // The line stays on the screen while the next one is written below it.
    const dDurationMs = u.durationMs + (next?.durationMs ?? 0);
    events.push({ tStartMs: u.startMs, dDurationMs, wWinId: 1, segs });
  });
  return json3(events);
}

/** The same in WebVTT, where each line appears once while it is spoken and again above the next one. */
export function automaticVtt(utterances: readonly Utterance[]): string {
  const cues = utterances.flatMap((u, index) => {
    const end = u.startMs + u.durationMs;
    const above = utterances[index - 1] === undefined ? ' ' : plain(utterances[index - 1]?.text ?? '');
    const [first, ...rest] = timedWords(u);
    const words = rest.map(({ word, offsetMs }) => `<${vttTime(u.startMs + offsetMs)}><c> ${word}</c>`).join('');
    const position = 'align:start position:0%';
    return [
      `${vttTime(u.startMs)} --> ${vttTime(end)} ${position}\n${above}\n${first?.word ?? ''}${words}\n`,
      `${vttTime(end)} --> ${vttTime(end + 10)} ${position}\n${plain(u.text)}\n \n`,
    ];
  });
  return `WEBVTT\nKind: captions\nLanguage: en\n\n${cues.join('\n')}`;
}

function timedWords(u: Utterance): { word: string; offsetMs: number }[] {
  const words = plain(u.text).split(' ');
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  let before = 0;
  return words.map((word) => {
    const offsetMs = Math.round((before / letters) * u.durationMs);
    before += word.length;
    return { word, offsetMs };
  });
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[.,?!]/g, '');
}

function lastEndMs(utterances: readonly Utterance[]): number {
  const last = utterances.at(-1);
  return last === undefined ? 0 : last.startMs + last.durationMs;
}

function json3(events: readonly object[]): string {
  return `${JSON.stringify({ wireMagic: 'pb3', pens: [{}], wsWinStyles: [{}], wpWinPositions: [{}], events })}\n`;
}

function vttTime(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
