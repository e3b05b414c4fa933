import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JobError } from '../../runtime/job-error.ts';
import { parseCaptions, parseJson3 } from '../../sources/vidnet/captions/parse-captions.ts';

/** A line as the recogniser hears it. */
interface SpokenLine {
  readonly startMs: number;
  readonly durationMs: number;
  readonly words: readonly string[];
}

/** A rolling display in the platform's JSON: a line lasts on while the next one is spoken. */
function rollingJson3(lines: readonly SpokenLine[]): string {
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
function rollingVtt(lines: readonly SpokenLine[]): string {
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

const json3 = (events: object[]) => JSON.stringify({ wireMagic: 'pb3', pens: [{}], events });
const texts = (lines: readonly { text: string }[]) => lines.map(({ text }) => text);
const code = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error instanceof JobError ? error.code : error;
  }
};

describe('captions in the JSON of the platform', () => {
  it('are joined from their parts, each line until the next one', () => {
    const lines = parseJson3(
      json3([
        { tStartMs: 0, dDurationMs: 9000, id: 1, wpWinPosId: 1, wsWinStyleId: 1 },
        {
          tStartMs: 480,
          dDurationMs: 4200,
          wWinId: 1,
          segs: [{ utf8: 'good' }, { utf8: ' evening', tOffsetMs: 320, acAsrConf: 0 }],
        },
        { tStartMs: 2570, dDurationMs: 2110, wWinId: 1, aAppend: 1, segs: [{ utf8: '\n' }] },
        { tStartMs: 2580, dDurationMs: 3000, wWinId: 1, segs: [{ utf8: 'to' }, { utf8: ' all' }] },
      ]),
    );
    expect(lines).toEqual([
      { startSeconds: 0.48, durationSeconds: 2.1, text: 'good evening' },
      { startSeconds: 2.58, durationSeconds: 3, text: 'to all' },
    ]);
  });

  it('keep the times of an author whose lines overlap', () => {
    const lines = parseJson3(
      json3([
        { tStartMs: 0, dDurationMs: 5000, segs: [{ utf8: 'sings' }] },
        { tStartMs: 3000, dDurationMs: 1000, segs: [{ utf8: 'interrupts' }] },
      ]),
    );
    expect(lines.map(({ durationSeconds }) => durationSeconds)).toEqual([5, 1]);
  });

  it('last until the next one when no duration is stated', () => {
    const lines = parseJson3(json3([{ segs: [{ utf8: 'a' }] }, { tStartMs: 1500, segs: [{ utf8: 'b' }] }]));
    expect(lines).toEqual([
      { startSeconds: 0, durationSeconds: 1.5, text: 'a' },
      { startSeconds: 1.5, durationSeconds: 0, text: 'b' },
    ]);
  });

  it('are one line of plain text each', () => {
    const lines = parseJson3(
      json3([
        { tStartMs: 0, dDurationMs: 1, segs: [{ utf8: ' one\n\u200btwo\u00a0 three\ufeff ' }, {}] },
        { tStartMs: 1, dDurationMs: 1, segs: [{ utf8: '\u200b\u200e\n' }] },
        { tStartMs: 2, dDurationMs: 1, segs: [{ utf8: 'say &amp; in <b>' }] },
      ]),
    );
    expect(texts(lines)).toEqual(['one two three', 'say &amp; in <b>']);
  });

  it('leave out the events that cannot be read', () => {
    const good = { tStartMs: 1000, dDurationMs: 500, segs: [{ utf8: 'good' }] };
    const bad = [null, 1, 'x', [], { tStartMs: 'soon', segs: [{ utf8: 'lost' }] }, { tStartMs: null }];
    const partly = { tStartMs: 2000, dDurationMs: null, wWinId: {}, segs: [null, { utf8: 7 }, { utf8: 'part' }, {}] };
    const events = [...bad, good, { tStartMs: 1200, segs: 'x' }, partly] as object[];
    expect(parseJson3(json3(events))).toEqual([
      { startSeconds: 1, durationSeconds: 0.5, text: 'good' },
      { startSeconds: 2, durationSeconds: 0, text: 'part' },
    ]);
  });

  it('lose what is before the start of the video', () => {
    const events = [
      { tStartMs: -3000, dDurationMs: 1000, segs: [{ utf8: 'before' }] },
      { tStartMs: -2000, dDurationMs: 5000, segs: [{ utf8: 'across' }] },
      { tStartMs: 4000, dDurationMs: -500, segs: [{ utf8: 'backwards' }] },
    ];
    expect(parseJson3(json3(events))).toEqual([
      { startSeconds: 0, durationSeconds: 3, text: 'across' },
      { startSeconds: 4, durationSeconds: 0, text: 'backwards' },
    ]);
  });

  it('are well-formed text without control characters', () => {
    const text = String.raw`{"events":[{"segs":[{"utf8":"a\u0000b \ud83d\u001b c"}]}]}`;
    expect(texts(parseJson3(text))).toEqual(['ab \ufffd c']);
  });

  it.each(['', '<html>429</html>', '[]', 'null', '{"error":{"code":404}}', '{"events":[{"tStartMs":"soon"}]}'])(
    'are refused when they are %j',
    (text) => {
      expect(code(() => parseJson3(text))).toBe('upstream_error');
    },
  );

  it('may be empty', () => {
    expect(parseJson3('{"wireMagic":"pb3"}')).toEqual([]);
    expect(parseJson3(json3([]))).toEqual([]);
  });
});

const AUTHORED = `\ufeffWEBVTT - a talk\r
Kind: captions\r
\r
NOTE made by hand\r
over two lines\r
\r
STYLE\r
::cue(.loud) { color: red }\r
\r
REGION\r
id:left\r
\r
intro\r
00:01.000 --> 00:02.500 align:start position:0%\r
<v Ada>Hello &amp; <i>welcome</i></v>\r
to the <c.loud>show</c>\r
\r
100:00:00.000 --> 100:00:01.000\r
I <3 tape <00:00:01.500>&lt;really&gt;\r
`;

/** Two lines on the screen: what is spoken, and what was spoken before it. */
const ROLLING = `WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.000 align:start position:0%
 
no<00:00:00.480><c> no</c><00:00:01.000><c> no</c>

00:00:02.000 --> 00:00:02.010 align:start position:0%
no no no
 

00:00:02.010 --> 00:00:04.000 align:start position:0%
no no no
no<00:00:02.500><c> means</c><00:00:03.000><c> no</c>

00:00:04.000 --> 00:00:04.010 align:start position:0%
no means no
 

00:00:09.000 --> 00:00:10.000 align:start position:0%
no means no
no<00:00:09.400><c> doubt</c>
`;

describe('captions in WebVTT', () => {
  it('are the text without markup, comments and styles', () => {
    expect(parseCaptions(AUTHORED, 'vtt', 'manual')).toEqual([
      { startSeconds: 1, durationSeconds: 1.5, text: 'Hello & welcome to the show' },
      { startSeconds: 360_000, durationSeconds: 1, text: 'I <3 tape <really>' },
    ]);
  });

  it('of a recogniser have each word once, also repeated words', () => {
    expect(parseCaptions(ROLLING, 'vtt', 'automatic')).toEqual([
      { startSeconds: 0.16, durationSeconds: 1.84, text: 'no no no' },
      { startSeconds: 2.01, durationSeconds: 1.99, text: 'no means no' },
      { startSeconds: 9, durationSeconds: 1, text: 'no doubt' },
    ]);
  });

  it('keep every word of an author', () => {
    const chorus =
      'WEBVTT\n\n00:01.000 --> 00:02.000\nno no\n\n00:02.000 --> 00:03.000\nno\n\n00:03.000 --> 00:04.000\nno\n';
    expect(texts(parseCaptions(chorus, 'vtt', 'manual'))).toEqual(['no no', 'no', 'no']);
  });

  it('keep repeated words when the display does not roll', () => {
    const cues = ['i said the', 'the cat sat', 'on a mat', 'all day', 'long'];
    const vtt = cues.map((text, n) => `00:0${n}.000 --> 00:0${n + 1}.000\n${text}\n`).join('\n');
    expect(texts(parseCaptions(`WEBVTT\n\n${vtt}`, 'vtt', 'automatic'))).toEqual(cues);
  });

  it.each(['', ' \n', '<!doctype html><title>Sorry</title>', 'WEBVTTX\n'])('are refused when they are %j', (text) => {
    expect(code(() => parseCaptions(text, 'vtt', 'manual'))).toBe('upstream_error');
  });

  it('may be empty', () => {
    expect(parseCaptions('WEBVTT\n\nNOTE silence\n', 'vtt', 'automatic')).toEqual([]);
  });

  it('of a hostile file are read quickly', () => {
    const word = '<c '.repeat(20_000) + 'no '.repeat(200_000);
    const started = performance.now();
    parseCaptions(
      `WEBVTT\n\n00:00.000 --> 00:01.000\n${word}x\n\n00:01.000 --> 00:02.000\n${word}y\n`,
      'vtt',
      'automatic',
    );
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('captions in SubRip', () => {
  it('are the text without numbers and tags', () => {
    const srt =
      '1\r\n00:00:01,000 --> 00:00:02,500\r\n{\\an8}<i>First</i> &amp; only\r\n \r\n2\r\n0:00:03,5 --> 0:00:04\r\n1984\r\n';
    expect(parseCaptions(srt, 'srt', 'manual')).toEqual([
      { startSeconds: 1, durationSeconds: 1.5, text: 'First &amp; only' },
      { startSeconds: 3.5, durationSeconds: 0.5, text: '1984' },
    ]);
  });

  it('have each word once when they roll', () => {
    const srt = ['good evening', 'good evening to all', 'to all of you', 'of you who listen']
      .map((text, n) => `${n + 1}\n00:00:0${n},000 --> 00:00:0${n + 1},000\n${text}\n`)
      .join('\n');
    expect(texts(parseCaptions(srt, 'srt', 'automatic'))).toEqual(['good evening', 'to all', 'of you', 'who listen']);
  });

  it.each([
    ['more digits than milliseconds', '1\n00:00:01,5000 --> 00:00:02,0000\nOne', 1.5, 0.5],
    ['a space before the milliseconds', '1\n00:00:01, 500 --> 00:00:02, 000\nOne', 1.5, 0.5],
    ['a start before 0', '1\n-00:00:01,500 --> 00:00:02,000\nOne', 0, 2],
    [
      'no blank line before the next number',
      '1\n00:00:01,500 --> 00:00:02,000\nOne\n2\n00:00:03,000 --> 00:00:04,000',
      1.5,
      0.5,
    ],
  ])('are read when they have %s', (_title, text, startSeconds, durationSeconds) => {
    expect(parseCaptions(text, 'srt', 'manual')).toEqual([{ startSeconds, durationSeconds, text: 'One' }]);
  });

  it('are refused when there is no cue', () => {
    expect(code(() => parseCaptions('404 page not found', 'srt', 'manual'))).toBe('upstream_error');
  });
});

describe('any text', () => {
  /** Few different words, so that they are repeated within lines and across them. */
  const spokenLines = fc
    .array(
      fc.record({
        words: fc.array(fc.constantFrom('no', 'yes', 'the', 'cat', 'naïve'), { minLength: 1, maxLength: 6 }),
        durationMs: fc.integer({ min: 500, max: 4000 }),
        pauseMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9000 })),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map((all) => {
      let clockMs = 0;
      return all.map(({ words, durationMs, pauseMs }) => {
        const startMs = clockMs;
        clockMs += durationMs + pauseMs;
        return { startMs, durationMs, words };
      });
    });

  it.each([
    ['json3', rollingJson3],
    ['vtt', rollingVtt],
  ] as const)('automatic %s captions have each word once, at its time', (format, write) => {
    fc.assert(
      fc.property(spokenLines, (spoken) => {
        const lines = parseCaptions(write(spoken), format, 'automatic');
        expect(lines.map(({ startSeconds, text }) => ({ startSeconds, text }))).toEqual(
          spoken.map(({ startMs, words }) => ({ startSeconds: startMs / 1000, text: words.join(' ') })),
        );
        lines.forEach((line, index) => {
          const next = lines[index + 1]?.startSeconds ?? Infinity;
          expect(line.durationSeconds).toBeGreaterThan(0);
          expect(line.startSeconds + line.durationSeconds).toBeLessThanOrEqual(next + 1e-9);
        });
      }),
    );
  });

  it('has each word once on a rolling display without times of words', () => {
    const lists = fc.uniqueArray(fc.stringMatching(/^[a-z]{2,9}$/), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }), (words, perLine, height) => {
        const rows = Array.from({ length: Math.ceil(words.length / perLine) }, (_, n) =>
          words.slice(n * perLine, (n + 1) * perLine).join(' '),
        );
        const cues = rows.map((_, n) => {
          const time = (seconds: number) => `00:${String(seconds).padStart(2, '0')}.000`;
          return `${time(n)} --> ${time(n + 1)}\n${rows.slice(Math.max(0, n - height), n + 1).join('\n')}\n`;
        });
        expect(texts(parseCaptions(`WEBVTT\n\n${cues.join('\n')}`, 'vtt', 'automatic'))).toEqual(rows);
      }),
    );
  });
});
