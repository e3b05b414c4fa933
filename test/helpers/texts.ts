import fc from 'fast-check';

// fast-check's own units of all of Unicode, which its URLs are made of too, build a table of a million characters in each
// process: 1.5 s.

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;
const CODE_POINTS = 0x110000;

const character = fc
  .nat({ max: CODE_POINTS - SURROGATES - 1 })
  .map((n) => String.fromCodePoint(n < SURROGATES_FROM ? n : n + SURROGATES));

/** Of all characters, each as likely as another. */
export const unicodeText = (maxLength?: number): fc.Arbitrary<string> =>
  fc.string({ unit: character, ...(maxLength !== undefined && { maxLength }) });

// RFC 3986, section 3.3.
const inPath = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(...Array.from("abcXYZ0189-._~!$&'()*+,;=:@")) },
  { weight: 1, arbitrary: character.map((one) => encodeURIComponent(one)) },
);

/** Begins with a slash. */
export const webPath = fc
  .array(fc.string({ unit: inPath, maxLength: 12 }), { minLength: 1, maxLength: 4 })
  .map((segments) => `/${segments.join('/')}`);

export const webUrl = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.domain(),
    fc.option(webPath, { nil: '' }),
    fc.option(
      fc.string({ unit: inPath, maxLength: 12 }).map((query) => `?${query}`),
      { nil: '' },
    ),
  )
  .map(([scheme, host, path, query]) => `${scheme}://${host}${path}${query}`);
