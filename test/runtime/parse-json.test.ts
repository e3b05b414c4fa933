import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../runtime/parse-json.ts';

it.each([
  [String.raw`"a\u0000b\u0007\u001b[31mc\u007f\u0085"`, 'ab[31mc'],
  [String.raw`"one\r\ntwo\rthree\nfour\tfive"`, 'one\ntwo\nthree\nfour\tfive'],
  [String.raw`"\ud83d and \ude00"`, '\ufffd and \ufffd'],
  [String.raw`"\ud83d\ude00 \u202e \u200d"`, '😀 \u202e \u200d'],
  [String.raw`{"a":[{"b":"x\u0000"},null,1,true]}`, { a: [{ b: 'x' }, null, 1, true] }],
  [
    String.raw`{"__proto__":{"x":"\u0000"},"constructor":"\u0000y"}`,
    JSON.parse('{"__proto__":{"x":""},"constructor":"y"}'),
  ],
])('cleans the strings of %s', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

it.each(['', '{', 'null x', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`])('rejects other text: %#', (text) => {
  expect(parseJson(text)).toBeUndefined();
});

it('returns well-formed strings without control characters, and leaves other values unchanged', () => {
  const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme-ascii' }), anyText, (value, text) => {
      const [same, cleaned] = parseJson(JSON.stringify([value, text])) as [unknown, string];
      expect(same).toEqual(JSON.parse(JSON.stringify(value)));
      expect(cleaned.isWellFormed()).toBe(true);
      expect(cleaned).not.toMatch(/[^\P{Cc}\n\t]/u);
    }),
  );
});
