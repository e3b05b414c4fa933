import type { Random } from '../../../quality/chaos/plan.ts';

/** What parsers of headers, URLs, lists and dates stop at, go on after, or go back to. */
const UNITS = [
  ...[
    ' ',
    '\t',
    ',',
    ';',
    '"',
    '\\',
    '=',
    ' ,',
    ', ',
    '\\"',
    '",',
    '";',
    '/',
    '(',
    ')',
    '%',
    '<',
    '-',
    '.',
    '1',
    'a',
    '\u00e9',
  ],
  ...[
    'for=',
    'for="',
    'for=1.2.3.4,',
    '::ffff:',
    '[::1]:1,',
    '1.2.3.4, ',
    '10.0.0.1,',
    'a=b;',
    'a="b",',
    'W/"x", ',
    '*,',
  ],
  ...['bytes=0-1,', '0-,', 'en;q=0.1,', 'text/html;q=1,', 'gzip;q=0,', 'wait=', 'wait=1, ', 'close, ', 'keep-alive,'],
  ...[
    'http://',
    'https://a.b/',
    'a.',
    '../',
    '%2e%2e/',
    '?a=',
    '&',
    '#',
    '@',
    ':',
    'xn--',
    '00-',
    'key=value,',
    'Bearer ',
  ],
] as const;
const LENGTHS = [1, 30, 300, 2_000, 4_000, 8_000, 15_000] as const;

/** One or two units, each repeated many times, between a beginning and an end that may make a parser go back. */
export function hostileText(random: Random, maxChars: number): string {
  const unit = (): string => random.pick(UNITS);
  const run = (chars: number): string => {
    const one = random.next() < 0.7 ? unit() : unit() + unit();
    return one.repeat(Math.ceil(chars / one.length));
  };
  const chars = Math.min(random.pick(LENGTHS), maxChars);
  const text = random.next() < 0.7 ? run(chars) : run(chars / 2) + run(chars / 2);
  return (unit() + text).slice(0, maxChars - 3) + unit().slice(0, 3);
}

const HEADERS = [
  ...[
    'Forwarded',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'Prefer',
    'Authorization',
    'Cookie',
    'Accept',
  ],
  ...[
    'Accept-Encoding',
    'Accept-Language',
    'Range',
    'If-Range',
    'If-None-Match',
    'If-Modified-Since',
    'Content-Type',
    'Origin',
  ],
  ...[
    'Referer',
    'Sec-Fetch-Site',
    'Sec-Fetch-Mode',
    'X-Request-Id',
    'Traceparent',
    'Tracestate',
    'Baggage',
    'Last-Event-ID',
  ],
  ...[
    'Connection',
    'Keep-Alive',
    'TE',
    'Via',
    'User-Agent',
    'Date',
    'Expires',
    'Cache-Control',
    'ETag',
    'Location',
    'Link',
  ],
  ...[
    'Set-Cookie',
    'Retry-After',
    'Content-Disposition',
    'Content-Range',
    'Content-Encoding',
    'Proxy-Authenticate',
    'X-A',
  ],
] as const;

/** Some header lines, as often as not of about as many bytes in all as are accepted. */
export function hostileHeaders(random: Random): string[] {
  const kind = random.next();
  const name = random.pick(HEADERS);
  if (kind < 0.15) return Array.from({ length: 1_500 }, () => `${name}: ${random.pick(UNITS)}`.slice(0, 10));
  if (kind < 0.3) return Array.from({ length: 7 }, () => `${name}: ${hostileText(random, 2_000)}`);
  if (kind < 0.4) return [`${name}: ${'x'.repeat(16_600)}`];
  return [`${name}: ${hostileText(random, 15_000)}`, `${random.pick(HEADERS)}: ${hostileText(random, 300)}`];
}

const BODY_CHARS = 65_000;

/** A value of JSON, as its text. */
function hostileValue(random: Random, maxChars: number): string {
  const half = Math.floor(maxChars / 2);
  const number = Math.floor(maxChars / 12);
  return random.pick<() => string>([
    () => JSON.stringify(hostileText(random, half)),
    () => JSON.stringify(`https://${hostileText(random, random.pick([2_000, half]))}`),
    () =>
      JSON.stringify(`see https://a.b/${random.pick(UNITS).repeat(Math.floor(half / 20))}`).slice(0, half - 1) + '"',
    () => '['.repeat(half) + ']'.repeat(half),
    () => '{"a":'.repeat(number) + '1' + '}'.repeat(number),
    () => `[${Array.from({ length: number }, () => JSON.stringify(random.pick(UNITS))).join(',')}]`,
    () => `{${Array.from({ length: number }, (_, n) => `"k${n.toString(36)}":1`).join(',')}}`,
    () => '9'.repeat(maxChars),
    () => `"${'\\u0000'.repeat(number)}"`,
    () => `"${'\\ud800'.repeat(number)}"`,
    () => random.pick(['null', 'true', '-0', '1e999', '""', '{}', '[]']),
  ])();
}

/** @param fields that the body may have */
export function hostileBody(random: Random, fields: readonly string[]): string {
  if (random.next() < 0.15) return hostileValue(random, BODY_CHARS);
  const chosen = random.shuffled(fields).slice(0, 3);
  const room = Math.floor(BODY_CHARS / (chosen.length + 1)) - 100;
  const pairs = chosen.map((name) => `${JSON.stringify(name)}:${hostileValue(random, room)}`);
  return `{${[...pairs, `"unknown":${hostileValue(random, room)}`].join(',')}}`;
}
