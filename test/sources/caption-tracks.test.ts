import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CaptionTrack } from '../../contract/kinds/transcript-facts.ts';
import { rankTracks } from '../../sources/vidnet/captions/choose-track.ts';
import {
  emptyCaptions,
  languagesOf,
  noCaptions,
  spokenCodes,
  trackLanguage,
} from '../../sources/vidnet/captions/caption-languages.ts';

/** Tracks written as `en`, or `en*` for automatic ones. */
function tracks(...codes: string[]): CaptionTrack[] {
  return codes.map((code) => ({
    language: code.replace('*', ''),
    kind: code.endsWith('*') ? 'automatic' : 'manual',
  }));
}
function chosen(language: string, ...codes: string[]): string | undefined {
  const [track] = rankTracks(tracks(...codes), language);
  return track && `${track.language}${track.kind === 'automatic' ? '*' : ''}`;
}

describe('the track for a language', () => {
  it.each<[string, string[], string | undefined, string]>([
    ['en', ['de', 'en-GB', 'en'], 'en', 'the very tag'],
    ['EN', ['en*'], 'en*', 'a tag in another case'],
    ['en', ['en*', 'en'], 'en', 'a manual one before an automatic one'],
    ['en', ['en*', 'en-GB'], 'en-GB', 'a manual one of a region before an automatic one of the very tag'],
    ['en', ['en-GB'], 'en-GB', 'a region for a bare language'],
    ['en', ['und', 'en'], 'en', 'a language before an unknown one'],
    ['en', ['und'], undefined, 'none for an unknown one'],
    ['und', ['en', 'und'], 'und', 'the unknown one'],
    ['und', ['en'], undefined, 'none for an unknown one that is not there'],
    ['en', ['en-IN', 'en-US', 'en-GB'], 'en-US', 'the usual region first'],
    ['en', ['en-IN', 'en-GB'], 'en-GB', 'then by the alphabet'],
    ['pt-BR', ['pt-PT', 'pt'], 'pt', 'the bare language for a region'],
    ['pt-PT', ['pt-BR*', 'pt*'], 'pt*', 'the bare language for an unusual region'],
    ['pt-BR', ['pt-PT', 'pt-PT*'], 'pt-PT', 'another region'],
    ['en-GB', ['en-US'], 'en-US', 'another region, if there is no other'],
    ['en-AU', ['en-IN', 'en-US', 'en-GB'], 'en-GB', 'the nearest region'],
    ['es-MX', ['es-ES', 'es-419'], 'es-419', 'the larger region'],
    ['es-419', ['es-ES', 'es-MX'], 'es-MX', 'a part of the region'],
    ['pt-AO', ['pt-BR', 'pt-PT'], 'pt-PT', 'the region with the same spelling'],
    ['no', ['da', 'nb'], 'nb', 'one language with two codes'],
    ['nb', ['no*', 'sv'], 'no*', 'one language with two codes'],
    ['nb-NO', ['no'], 'no', 'one language with two codes, and a region'],
    ['no', ['da', 'nn', 'nb'], 'nb', 'the usual written form of one language'],
    ['no', ['da', 'sv', 'nn'], 'nn', 'the other written form of one language'],
    ['nn', ['da', 'no'], 'no', 'one language with two codes'],
    ['nn-NO', ['nb', 'sv'], 'nb', 'the other written form of one language'],
    ['no', ['da', 'sv'], undefined, 'never a similar language'],
    ['ms', ['id'], undefined, 'never a similar language'],
    ['ca', ['es', 'fr'], undefined, 'never a language that its speakers may know'],
    ['uk', ['ru', 'be'], undefined, 'never a language that its speakers may know'],
    ['pes', ['fa'], 'fa', 'a language of a macro-language'],
    ['ku', ['kmr'], 'kmr', 'a language of a macro-language'],
    ['zsm', ['id', 'ms'], 'ms', 'a language of a macro-language'],
    ['yue', ['zh-Hant'], undefined, 'never a similar language'],
    ['zh-Hant-MO', ['zh-TW', 'zh-HK'], 'zh-HK', 'the nearest region'],
    ['pt-MZ', ['pt-BR', 'pt-PT'], 'pt-PT', 'the nearest region'],
    ['en-ZA', ['en-US', 'en-GB'], 'en-GB', 'the nearest region'],
    ['uz-Cyrl', ['uz', 'uz-Latn'], 'uz', 'a language that has no script, and never another script'],
    ['da', ['no', 'nb'], undefined, 'never a similar language'],
    ['hr', ['bs', 'sr-Latn'], undefined, 'never a similar language'],
    ['af', ['en'], undefined, 'never a language that its speakers may know'],
    ['cmn', ['zh-Hans'], 'zh-Hans', 'a language of a macro-language'],
    ['cmn-Hant', ['zh-CN', 'zh-TW'], 'zh-TW', 'a language of a macro-language, and a script'],
    ['zh-cmn-Hans', ['zh-TW', 'zh-CN'], 'zh-CN', 'an extended language'],
    ['zh-yue', ['zh', 'yue'], 'yue', 'an extended language'],
    ['arb', ['ar-EG'], 'ar-EG', 'a language of a macro-language'],
    ['fil', ['tl'], 'tl', 'an old code'],
    ['zh-HK', ['zh-TW', 'zh-CN'], 'zh-TW', 'the script of the region elsewhere'],
    ['zh-SG', ['zh-TW', 'zh-CN'], 'zh-CN', 'the script of the region elsewhere'],
    ['zh-MO', ['zh-Hans-MO', 'zh-Hant'], 'zh-Hant', 'the script before the region'],
    ['zh-Hant-HK', ['zh-TW', 'zh-HK'], 'zh-HK', 'script and region'],
    ['sr-Latn', ['sr', 'sr-RS'], 'sr', 'a language that has no script, and never another script'],
    ['sr-Latn', ['sr-Cyrl', 'sr-RS'], undefined, 'never another script'],
    ['en-US', ['en', 'en-US'], 'en-US', 'the very tag before an equivalent one'],
    ['en-US', ['en_US'], 'en_US', 'a tag with an underscore'],
    ['he', ['iw'], 'iw', 'an old code'],
    ['in', ['id'], 'id', 'a language requested by its old code'],
    ['zh-TW', ['zh', 'zh-Hans', 'zh-Hant'], 'zh-Hant', 'the script of the region'],
    ['zh-HK', ['zh', 'zh-Hant'], 'zh-Hant', 'the script of an unusual region'],
    ['zh-TW', ['zh-Hans', 'zh-CN'], undefined, 'never another script'],
    ['zh-Hant', ['zh-CN', 'zh-TW'], 'zh-TW', 'a region that writes the script'],
    ['zh-TW', ['zh'], 'zh', 'a language that tells no script, at the last'],
    ['zh', ['zh-Hant', 'zh-Hans'], 'zh-Hans', 'the usual script first'],
    ['zh', ['zh-TW'], 'zh-TW', 'any script for a bare language'],
    ['xx', ['en', 'de*'], undefined, 'nothing when there is nothing'],
    ['en', ['live_chat', 'a.en', 'rechat'], undefined, 'nothing that is no language'],
    ['no such tag', ['no'], undefined, 'nothing for what is no language'],
    ['en', ['en-nP7-2PuUl7o', 'de'], 'en-nP7-2PuUl7o', 'a track with a name of its own'],
  ])('%s out of %j is %s: %s', (language, codes, expected) => {
    expect(chosen(language, ...codes)).toBe(expected);
  });

  it('is followed by the other matching tracks, the best first', () => {
    const ranked = rankTracks(tracks('en*', 'de', 'en-IN', 'en-GB*', 'en', 'live_chat'), 'en');
    expect(ranked.map(({ language, kind }) => [language, kind])).toEqual([
      ['en', 'manual'],
      ['en-IN', 'manual'],
      ['en', 'automatic'],
      ['en-GB', 'automatic'],
    ]);
  });

  it('keeps all its fields', () => {
    const track = {
      language: 'en',
      kind: 'manual',
      name: 'English',
      ext: 'vtt',
      url: 'https://example.com/a',
    } as const;
    expect(rankTracks([track], 'en')[0]).toBe(track);
  });

  const code = fc.constantFrom(
    ...['en', 'en-GB', 'en-US', 'pt', 'pt-BR', 'pt-PT', 'zh', 'zh-Hans', 'zh-Hant', 'zh-TW', 'zh-CN', 'iw', 'he', 'sr'],
    ...['sr-Latn', 'es-419', 'es', 'live_chat', 'a.en', 'en-orig', 'yue'],
  );
  const anyTracks = fc.array(
    fc.record({ language: code, kind: fc.constantFrom('manual' as const, 'automatic' as const) }),
  );

  it('never has another language or script', () => {
    fc.assert(
      fc.property(anyTracks, code, (all, language) => {
        for (const track of rankTracks(all, language)) {
          const wanted = new Intl.Locale(trackLanguage(language)!);
          const offered = new Intl.Locale(trackLanguage(track.language)!);
          expect(offered.language).toBe(wanted.language);
          if (wanted.script && offered.script) expect(offered.script).toBe(wanted.script);
        }
      }),
    );
  });

  it('does not depend on the order of the platform', () => {
    fc.assert(
      fc.property(anyTracks, code, (all, language) => {
        const facts = (list: CaptionTrack[]) => {
          return rankTracks(list, language).map((track) => [track.kind, trackLanguage(track.language)]);
        };
        expect(facts([...all].reverse())).toEqual(facts(all));
      }),
    );
  });
});

describe('the languages with captions', () => {
  it.each([
    ['en', 'en'],
    ['en-orig', 'en'],
    ['iw', 'he'],
    ['zh-TW', 'zh-TW'],
    ['en-eEY6OEpapPo', 'en'],
    ['pt-BR-nP7-2PuUl7o', 'pt-BR'],
    ['a.en', undefined],
    ['live_chat', undefined],
    ['comments', undefined],
    ['', undefined],
  ])('%j is a track of %s', (listed, language) => {
    expect(trackLanguage(listed)).toBe(language);
  });

  it('are named once each, sorted, manual ones first', () => {
    expect(languagesOf(tracks('fr*', 'iw', 'en*', 'de', 'en-orig*', 'de*', 'live_chat'))).toEqual([
      'de',
      'he',
      'en',
      'fr',
    ]);
  });

  it('are listed for a caller who requested another one', () => {
    expect(noCaptions(tracks('fr*', 'de', 'en*'), 'xx').message).toBe(
      'There are no captions in `xx`. There are: de, en (automatic), fr (automatic).',
    );
    expect(noCaptions([], 'xx').message).toBe('The video has no captions.');
    expect(noCaptions(tracks('live_chat'), 'xx').message).toBe('The video has no captions.');
  });

  it('are not confused with empty captions', () => {
    expect(emptyCaptions(1, 'en').message).toBe('The captions in `en` are empty.');
    expect(emptyCaptions(3, 'en').message).toBe('The captions in `en` are empty: 3 tracks were read.');
  });

  it('are counted when they are too many to name', () => {
    // Regions may be numbers (UN M49).
    const many = Array.from({ length: 42 }, (_, n) => `en-${String(100 + n)}`);
    const { message } = noCaptions(tracks(...many), 'xx');
    expect(message).toMatch(/ and 12 more\.$/);
    expect(message.split(', ')).toHaveLength(30);
  });

  it('are the spoken ones when the platform lists translations too', () => {
    expect(spokenCodes(['af', 'en', 'en-orig', 'zh-Hans'])).toEqual(['en']);
    expect(spokenCodes(['yue-orig'])).toEqual(['yue-orig']);
    expect(spokenCodes(['en'])).toEqual(['en']);
  });
});
