import { describe, expect, it } from 'vitest';
import { unknownLanguage } from '../../contract/text/language-tags.ts';
import { languageCodeOf, requestLanguageOf } from '../../speech/language-codes.ts';
import { requestedLanguage, requestLanguages } from '../../speech/whisper/whisper-languages.ts';

describe('languageCodeOf and requestLanguageOf', () => {
  it('parse names and codes', () => {
    const names = { english: 'en', German: 'de', 'haitian creole': 'ht', maori: 'mi', hebrew: 'he', javanese: 'jv' };
    const odd = { bengali: 'bn', myanmar: 'my', nynorsk: 'nn', tagalog: 'fil', cantonese: 'yue', hawaiian: 'haw' };
    const codes = { en: 'en', EN: 'en', iw: 'he', jw: 'jv', 'pt-br': 'pt-BR', lao: 'lo', norwegian: 'no' };
    for (const [said, code] of Object.entries({ ...names, ...odd, ...codes })) expect(languageCodeOf(said)).toBe(code);
  });

  it.each(['', 'unknown', 'und', 'auto', 'xx', 'none', 'klingonese'])('return undefined for %j', (said) => {
    expect(languageCodeOf(said)).toBeUndefined();
  });

  it('reduce a tag to the code of the language', () => {
    expect(['en-GB', 'zh-Hant-TW', 'nb', 'fil'].map(requestLanguageOf)).toEqual(['en', 'zh', 'no', 'tl']);
  });
});

it('reports a language as unknown exactly if the engine rejects it', () => {
  const known = ['en', 'no', 'tl', 'jw', 'he', 'zh'];
  const refuses = (tag: string): boolean => {
    try {
      return requestedLanguage(tag, known) === '';
    } catch {
      return true;
    }
  };
  for (const tag of ['en', 'en-GB', 'nb', 'no', 'nn', 'fil', 'jv', 'he', 'zh-Hant-TW', 'de', 'pt-BR']) {
    expect([tag, unknownLanguage(tag, requestLanguages(known)) !== undefined]).toEqual([tag, refuses(tag)]);
  }
});
