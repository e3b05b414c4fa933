import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import { clientAddress } from '../api/access/client-address.ts';
import { createEventParser } from '../clients/typescript/src/event-parser.ts';
import { trimSlash } from '../config-values.ts';
import { receiverHostOf } from '../contract/http/webhook-delivery.ts';
import { postReferenceOf } from '../contract/urls/imgnet-urls.ts';
import { videoIdOf } from '../contract/urls/vidnet-urls.ts';
import { parseWebhookSecret } from '../outbound/webhooks/webhook-signature.ts';
import { readCsv } from '../sources/imgnet/csv.ts';
import { parseCaptions } from '../sources/vidnet/captions/parse-captions.ts';
import { durationSchema } from '../sources/vidnet/data-api/data-api-schemas.ts';
import { ytdlpFailure } from '../sources/vidnet/yt-dlp/yt-dlp-failures.ts';

/** What less input takes cannot be told from noise. */
const SHORT_MS = 5;
const TRIES = 3;

/**
 * How much longer four times as much input takes, about 4 where the time is linear and 16 where it is quadratic.
 *
 * @param work on an input of that size, synchronous
 * @param size large enough that quadratic time takes many milliseconds
 */
function growthOf(work: (size: number) => unknown, size: number): number {
  const fastestMs = (of: number): number =>
    Math.min(
      ...Array.from({ length: TRIES }, () => {
        const { user, system } = process.cpuUsage();
        work(of);
        const used = process.cpuUsage({ user, system });
        return (used.user + used.system) / 1000;
      }),
    );
  const [one, four] = [fastestMs(size), fastestMs(4 * size)];
  return four < SHORT_MS ? 1 : four / Math.max(one, SHORT_MS / 4);
}

const loopback = new BlockList();
loopback.addAddress('127.0.0.1');
const address = (name: string, value: string): unknown =>
  clientAddress('127.0.0.1', new Headers({ [name]: value }), loopback);
const events = (pieces: readonly string[]): unknown => {
  const parse = createEventParser();
  return pieces.map(parse);
};
const pieces = (count: number, piece: string): string[] => Array<string>(count).fill(piece);
const cues = (text: string): string => `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}\n`;

/** What is read, with an input that makes patterns go back or accumulation copy, and a size for the smaller input. */
const ROWS: readonly (readonly [string, (size: number) => unknown, number])[] = [
  ['Forwarded of blanks', (n) => address('forwarded', `for=${' '.repeat(n)}x`), 10_000],
  ['Forwarded of quotes', (n) => address('forwarded', 'for="\\"'.repeat(n)), 10_000],
  ['Forwarded of parameters', (n) => address('forwarded', `a=b;${'for=;'.repeat(n)}`), 10_000],
  ['X-Forwarded-For of blanks and commas', (n) => address('x-forwarded-for', ' ,'.repeat(n)), 10_000],
  ['X-Forwarded-For of addresses', (n) => address('x-forwarded-for', '127.0.0.1,'.repeat(n)), 10_000],
  ['an event in many pieces', (n) => events(['data: ', ...pieces(n, 'x'.repeat(100))]), 5_000],
  ['an event of many lines', (n) => events(pieces(n, 'data: x\n')), 20_000],
  ['an event whose lines end in CR', (n) => events(pieces(n, 'data: x\r')), 20_000],
  ['a comment without an end', (n) => events([':', ...pieces(n, ' '.repeat(100))]), 5_000],
  ['many events in one piece', (n) => events(['data: x\n\n'.repeat(n)]), 20_000],
  ['a base address with slashes', (n) => trimSlash(`http://a${'/'.repeat(n)}b`), 10_000],
  ['a receiver with dots', (n) => receiverHostOf(`http://${'.'.repeat(n)}b`), 10_000],
  ['a secret with padding', (n) => parseWebhookSecret(`whsec_${'='.repeat(n)}A`), 10_000],
  ['a duration of digits', (n) => durationSchema.safeParse(`P${'1'.repeat(n)}`), 10_000],
  ['a value in quotes', (n) => readCsv(`a,b\n"${'""'.repeat(n)}`), 10_000],
  ['captions of tags', (n) => parseCaptions(cues('<c.'.repeat(n)), 'vtt', 'manual'), 10_000],
  ['captions of blanks', (n) => parseCaptions(cues(`${' '.repeat(n)}x`), 'vtt', 'manual'), 10_000],
  ['captions of times', (n) => parseCaptions(cues('00:'.repeat(n)), 'vtt', 'automatic'), 10_000],
  ['captions of entities', (n) => parseCaptions(cues('&am'.repeat(n)), 'vtt', 'manual'), 10_000],
  ['captions of markup', (n) => parseCaptions(cues('{\\an'.repeat(n)), 'srt', 'manual'), 10_000],
  ['a link with punctuation', (n) => postReferenceOf(`instagram.com/p/a${'.!'.repeat(n)}b`), 20_000],
  ['a link with slashes', (n) => videoIdOf(`youtube.com${'/,'.repeat(n)}`), 20_000],
  ['a link with entities', (n) => videoIdOf(`youtube.com/watch?&${'amp;'.repeat(n)}x`), 20_000],
  ['a link within links', (n) => videoIdOf('https://www.youtube.com/signin?next='.repeat(n)), 2_000],
  ['an error of yt-dlp', (n) => ytdlpFailure(`ERROR: ${'unable to download video data '.repeat(n)}`, 'video'), 1_000],
];

describe('text from outside is read in linear time', () => {
  it.each(ROWS)('%s', (_what, work, size) => {
    expect(growthOf(work, size)).toBeLessThan(9);
  });

  it('and the test detects quadratic time', () => {
    const quadratic = (n: number): number => {
      let sum = 0;
      for (let count = 0; count < n * n; count += 1) sum ^= count;
      return sum;
    };
    expect(growthOf(quadratic, 4_000)).toBeGreaterThan(9);
  });
});
