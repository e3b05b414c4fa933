import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContentsReader } from '../../contract/kinds/contents.ts';
import { renderCaptionsResult, transcriptSchema } from '../../contract/kinds/transcript.ts';
import { wholeComment } from '../../contract/kinds/transcript-facts.ts';
import type { TranscriptFacts } from '../../contract/kinds/transcript-facts.ts';
import type { DownloadRecord, SuccessRecord } from '../../contract/download-record.ts';
import { ItemStream } from '../../contract/http/streams.ts';
import { formatSeconds } from '../../contract/text/times.ts';
import {
  plainTextWriter,
  srtWriter,
  webVttWriter,
  type ExportWriter,
  type TimedLine,
} from '../../contract/text/transcript-formats.ts';
import { parseCaptions } from '../../sources/vidnet/captions/parse-captions.ts';
import { packedListOf } from '../../store/records/contents-store.ts';
import { keptFacts, wholeOf } from '../helpers/contents.ts';

const written = (writer: ExportWriter, lines: readonly TimedLine[]): string =>
  [
    writer.begin,
    ...lines.filter(({ text }) => text.trim() !== '').flatMap((each) => [...writer.line(each)]),
    writer.end(),
  ].join('');
const toSrt = (lines: readonly TimedLine[]): string => written(srtWriter(), lines);
const toWebVtt = (lines: readonly TimedLine[]): string => written(webVttWriter(), lines);
const toPlainText = (lines: readonly TimedLine[]): string => written(plainTextWriter(), lines);

const RECORD: SuccessRecord = {
  ...{ id: '01JD5Z3K6VQ0W8R9T2X4Y6B8CD', type: 'captions', mediaId: 'dQw4w9WgXcQ', price: 3, charge: 3, files: [] },
  ...{ subjectId: 'captions/dQw4w9WgXcQ/en', createdAt: '2026-11-21T09:30:00.123456Z' },
  ...{ finishedAt: '2026-11-21T09:30:10.123456Z', status: 'success', startedBy: 'anonymous' },
};
const TALK: readonly TimedLine[] = [
  { startSeconds: 0.48, durationSeconds: 2.1, text: 'Good evening.' },
  { startSeconds: 2.58, durationSeconds: 1.42, text: 'Tonight it is about tape.' },
  { startSeconds: 8, durationSeconds: 3, text: 'And about decks.' },
];
const line = (text: string, startSeconds = 1, durationSeconds = 1): TimedLine => ({
  startSeconds,
  durationSeconds,
  text,
});

describe('seconds', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [1.36, '1.36'],
    [0.1 + 0.2, '0.3'],
    [3600.5, '3600.5'],
    [0.0000001, '0'],
    [59.9996, '60'],
    [12, '12'],
  ])('writes %f as %s', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });

  it('always match the schema of the transcript', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (seconds) => {
        const text = formatSeconds(seconds);
        expect(text).toMatch(/^(0|[1-9]\d*)(\.\d{0,2}[1-9])?$/);
        expect(Math.abs(Number(text) - seconds)).toBeLessThanOrEqual(0.000_501);
      }),
    );
  });
});

describe('SubRip', () => {
  it('numbers the cues and writes a comma before the milliseconds', () => {
    expect(toSrt(TALK.slice(0, 2))).toBe(
      '1\n00:00:00,480 --> 00:00:02,580\nGood evening.\n\n2\n00:00:02,580 --> 00:00:04,000\nTonight it is about tape.\n',
    );
  });

  it('numbers without a gap when a line has no text', () => {
    expect(toSrt([line('a'), line('  '), line('b')]).match(/^\d+$/gm)).toEqual(['1', '2']);
  });

  it('replaces an arrow in a text, which would look like the next cue', () => {
    const text = toSrt([line('00:00:09,000 --> 00:00:10,000')]);
    expect(text.match(/-->/g)).toHaveLength(1);
    expect(text).toContain('00:00:09,000 → 00:00:10,000');
  });

  it('names the speaker', () => {
    expect(toSrt([{ ...line('Hello.'), speaker: 'Speaker 1' }])).toContain('\nSpeaker 1: Hello.\n');
  });
});

describe('WebVTT', () => {
  it('starts with its signature and writes a point before the milliseconds', () => {
    expect(toWebVtt(TALK.slice(0, 1))).toBe('WEBVTT\n\n00:00:00.480 --> 00:00:02.580\nGood evening.\n');
    expect(toWebVtt([])).toBe('WEBVTT\n');
  });

  it('escapes markup and arrows', () => {
    expect(toWebVtt([line('<b>R&D</b> --> done')])).toContain('\n&lt;b&gt;R&amp;D&lt;/b&gt; --&gt; done\n');
  });

  it('removes empty lines, which would end a cue', () => {
    expect(toWebVtt([line('one\r\n\r\n \n two')])).toMatch(/\none\ntwo\n$/);
  });

  it('writes hours beyond 99', () => {
    expect(toWebVtt([line('late', 360_000.5, 0.5)])).toContain('100:00:00.500 --> 100:00:01.000');
  });

  it.each([0, -5])('ends a cue after its start, even one of %d s', (durationSeconds) => {
    expect(toWebVtt([line('blink', 1, durationSeconds)])).toContain('00:00:01.000 --> 00:00:01.001');
  });

  it('marks the speaker for any name', () => {
    expect(toWebVtt([{ ...line('Hi.'), speaker: 'Speaker 1' }])).toContain('\n<v Speaker 1>Hi.\n');
    expect(toWebVtt([{ ...line('Hi.'), speaker: 'A>\nB' }])).toContain('\n<v A&gt; B>Hi.\n');
  });
});

describe('plain text', () => {
  it('starts a paragraph after a pause of more than two seconds', () => {
    expect(toPlainText(TALK)).toBe('Good evening. Tonight it is about tape.\n\nAnd about decks.\n');
  });

  it('continues a paragraph after a pause of two seconds, without the spaces and line breaks of its lines', () => {
    expect(toPlainText([line(' one\n\n two ', 0, 1), line('three', 3, 1)])).toBe('one two three\n');
  });

  it('continues a paragraph while lines overlap', () => {
    expect(toPlainText([line('long', 0, 10), line('short', 1, 1), line('next', 9, 1)])).toBe('long short next\n');
  });

  it('starts a paragraph at a change of speaker, and names each speaker', () => {
    const spoken = [
      { ...line('Who is there?', 0), speaker: 'Speaker 1' },
      { ...line('Anyone?', 1), speaker: 'Speaker 1' },
      { ...line('Me.', 2), speaker: 'Speaker 2' },
    ];
    expect(toPlainText(spoken)).toBe('Speaker 1: Who is there? Anyone?\n\nSpeaker 2: Me.\n');
  });

  it('is empty without speech', () => {
    expect(toPlainText([])).toBe('');
  });
});

describe('an exported transcript that is parsed again', () => {
  const times = fc.record({ startMs: fc.nat(400 * 3_600_000), durationMs: fc.integer({ min: 1, max: 60_000 }) });
  const linesOf = (words: fc.Arbitrary<string>) =>
    fc
      .array(fc.tuple(times, fc.array(words, { minLength: 1, maxLength: 6 })), { maxLength: 8 })
      .map((all) =>
        all
          .map(([{ startMs, durationMs }, texts]) => line(texts.join(' '), startMs / 1000, durationMs / 1000))
          .sort((a, b) => a.startSeconds - b.startSeconds),
      );
  const anyWord = fc.oneof(
    fc.constantFrom(
      '-->',
      '<b>',
      '&amp;',
      '&',
      '<3',
      '</c>',
      'WEBVTT',
      'NOTE',
      '1',
      '00:01.000',
      '日本',
      'naïve',
      '👩‍🚀',
    ),
    fc.stringMatching(/^[\x21-\x7e]{1,8}$/),
  );

  it('is the same from WebVTT for any text', () => {
    fc.assert(
      fc.property(linesOf(anyWord), (lines) => {
        expect(parseCaptions(toWebVtt(lines), 'vtt', 'manual')).toEqual(lines);
      }),
    );
  });

  it('is the same from SubRip for text without markup', () => {
    const plain = anyWord.filter((word) => !/[<>{}]|--/.test(word));
    fc.assert(
      fc.property(linesOf(plain), (lines) => {
        fc.pre(lines.length > 0);
        expect(parseCaptions(toSrt(lines), 'srt', 'manual')).toEqual(lines);
      }),
    );
  });

  it('is the same from the strings of the transcript result', async () => {
    await fc.assert(
      fc.asyncProperty(linesOf(anyWord), async (lines) => {
        const facts: TranscriptFacts = {
          video: { videoId: 'dQw4w9WgXcQ', link: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ', title: 'Talk' },
          ...{ track: { language: 'en', kind: 'manual' }, lines },
        };
        const contents = { facts: () => Promise.resolve(keptFacts(facts)) } as unknown as ContentsReader;
        const { video, status } = transcriptSchema.parse(
          await wholeOf(await renderCaptionsResult(RECORD, { contents })),
        );
        const read = video.transcriptsWithTimeStamps.map(({ start, dur, text }) =>
          line(text, Number(start), Number(dur)),
        );
        expect(read).toEqual(lines);
        expect([status, video.transcripts]).toEqual(['ok', lines.map(({ text }) => text).join(' ')]);
      }),
    );
  });
});

describe('a transcript', () => {
  const video = { videoId: 'dQw4w9WgXcQ', link: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ', title: 'Talk' };
  const facts = { video: { ...video, durationSeconds: 61 }, track: { language: 'en', kind: 'manual' }, lines: TALK };
  const comments = [wholeComment({ id: 'Ugx', text: 'Tea' })];
  const contents = (kept: object | undefined): ContentsReader => ({
    piece: () => Promise.resolve(undefined),
    facts: () => Promise.resolve(kept as never),
    list: ({ recordId, name, pieces }) =>
      packedListOf(recordId === RECORD.id && name === 'comments' && pieces > 0 ? (comments as never[]) : []),
  });
  const { charge: _charge, finishedAt, files: _files, ...begun } = RECORD;
  const rendered = async (record: DownloadRecord, kept?: object) =>
    wholeOf(await renderCaptionsResult(record, { contents: contents(kept) }));

  it('has its state and cost while it is pending and after a failure', async () => {
    const download = { id: RECORD.id, vidnet_video_id: RECORD.mediaId };
    expect(await rendered({ ...begun, status: 'pending' })).toMatchObject({
      ...{ status: 'pending', cost: '0.003', download: { ...download, status: 'pending' } },
    });
    const failure = { code: 'private', message: 'The video is private.' } as const;
    expect(await rendered({ ...begun, finishedAt, status: 'failed', failure })).toMatchObject({
      ...{ status: 'failed', ...failure, cost: '0.000', download: { ...download, status: 'failed' } },
    });
  });

  it('whose contents were removed differs from an empty one', async () => {
    await expect(rendered(RECORD)).rejects.toMatchObject({ name: 'MissingContentsError' });
  });

  it('has the requested comments and its duration', async () => {
    const kept = keptFacts(facts);
    expect(await rendered(RECORD, kept)).not.toHaveProperty('video.comments');
    const answer = await rendered({ ...RECORD, lists: { comments: { pieces: 1, items: 1 } } }, kept);
    expect(transcriptSchema.parse(answer)).toMatchObject({
      video: { duration: '00:01:01', comments: [{ id: 'Ugx', text: 'Tea', author: null, reply_to: null }] },
    });
  });

  it('has one space between lines in its full text for any division into pieces', async () => {
    const pages = async function* (): AsyncGenerator<readonly TimedLine[]> {
      for (const page of [[], [line('one'), line('two')], [], [line('three')]]) yield await Promise.resolve(page);
    };
    const answer = await rendered(RECORD, { ...keptFacts(facts), lines: new ItemStream(pages, 3) });
    expect(answer).toHaveProperty('video.transcripts', 'one two three');
  });
});
