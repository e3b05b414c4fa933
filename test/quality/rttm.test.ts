import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRttm, writeRttm } from '../../quality/bench/eval/recordings.ts';

describe('RTTM', () => {
  it('is written as NIST says', () => {
    expect(writeRttm([{ file: 'a talk', speaker: 'Speaker 1', startSeconds: 0.5, endSeconds: 2.25 }])).toBe(
      'SPEAKER a_talk 1 0.500 1.750 <NA> <NA> Speaker_1 <NA> <NA>\n',
    );
    const [line = ''] = writeRttm([{ file: ' a  talk ', speaker: ' ', startSeconds: 0.5, endSeconds: 2.25 }]).split(
      '\n',
    );
    expect(line).toBe('SPEAKER a_talk 1 0.500 1.750 <NA> <NA> <NA> <NA> <NA>');
  });

  it('is read with other lines left out, names of any alphabet, and without the last two fields', () => {
    const text =
      ';; a comment\nSPKR-INFO x 1 <NA> <NA> <NA> unknown MÉO069 <NA>\r\nSPEAKER x 1 1.5 2 <NA> <NA> MÉO069\r\n\n';
    expect(readRttm(text)).toEqual([{ file: 'x', speaker: 'MÉO069', startSeconds: 1.5, endSeconds: 3.5 }]);
  });

  it.each(['SPEAKER x 1 1.5', 'SPEAKER x 1 one 2 <NA> <NA> A <NA> <NA>', 'SPEAKER x 1 1 -2 <NA> <NA> A <NA> <NA>'])(
    'names the line that is wrong: %s',
    (line) => {
      expect(() => readRttm(`;; first\n${line}\n`)).toThrow('line 2');
    },
  );

  it('is read as it was written', () => {
    const segment = fc.record({
      file: fc.stringMatching(/^[a-z0-9-]{1,10}$/),
      speaker: fc.stringMatching(/^[A-Za-zÀ-ž0-9_]{1,10}$/),
      startMs: fc.integer({ min: 0, max: 36_000_000 }),
      lengthMs: fc.integer({ min: 0, max: 600_000 }),
    });
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        const written = segments.map(({ file, speaker, startMs, lengthMs }) => ({
          ...{ file, speaker, startSeconds: startMs / 1000, endSeconds: (startMs + lengthMs) / 1000 },
        }));
        const read = readRttm(writeRttm(written));
        expect(read).toHaveLength(written.length);
        for (const [i, { endSeconds, ...rest }] of read.entries()) {
          expect(rest).toEqual({
            file: written[i]?.file,
            speaker: written[i]?.speaker,
            startSeconds: written[i]?.startSeconds,
          });
          expect(endSeconds).toBeCloseTo(written[i]?.endSeconds ?? Number.NaN, 6);
        }
      }),
    );
  });
});
