import { crc32, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gzipOf, gzipPartOf, gzipStream, joinParts, partIn, unzip } from '../../runtime/gzip-parts.ts';

const texts = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 3_000 })), { maxLength: 5 });

it('joins compressed texts to one gzip member, stored or streamed', async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (parts) => {
      const written = parts.map(([text, times]) => text.repeat(times));
      const whole = Buffer.from(written.join(''));
      const compressed = await Promise.all(written.map(gzipPartOf));
      const joined = gzipOf(joinParts(compressed));
      expect(gunzipSync(joined).equals(whole)).toBe(true);
      expect((await unzip(joined)).equals(whole)).toBe(true);
      expect(partIn(joined)).toMatchObject({ crc: crc32(whole), bytes: whole.length });
      const chunks: Uint8Array[] = [];
      const stored = async function* () {
        for (const part of compressed) yield await Promise.resolve(partIn(gzipOf(part)));
      };
      for await (const chunk of gzipStream(stored())) chunks.push(chunk);
      expect(gunzipSync(Buffer.concat(chunks)).equals(whole)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

it('refuses a text whose bytes were changed', async () => {
  const gzip = gzipOf(await gzipPartOf('tea '.repeat(100)));
  gzip.writeUInt32LE(0, gzip.length - 8);
  await expect(unzip(gzip)).rejects.toThrow('incorrect data check');
});
