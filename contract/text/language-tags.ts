import { failureFor, type Failure } from '../failures.ts';
import { z } from 'zod';

/** The longest tag that RFC 5646 (section 4.4.1) expects. */
const LANGUAGE_MAX_CHARS = 35;

/** Language, script, region and one variant, which are always well-formed. Other tags are checked without a pattern. */
export const LANGUAGE_PATTERN =
  '^(?:[A-Za-z]{2,3}|[A-Za-z]{5,8})(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))?$';

/** @returns the canonical tag, such as `pt-BR` for `pt-br` and `he` for `iw`; undefined if it is not well-formed */
export function canonicalLanguage(text: string): string | undefined {
  try {
    // The canonical form of an extended language, such as `zh-yue`, is its own tag (RFC 5646, section 4.5), which ECMA-402 lacks.
    return Intl.getCanonicalLocales(text.replace(/^[a-z]{2,3}-(?=[a-z]{3}(?:-|$))/i, ''))[0];
  } catch {
    return undefined;
  }
}

/** @param languages the codes that a speech engine supports; undefined if they are unknown */
export function unknownLanguage(tag: string, languages: readonly string[] | undefined): Failure | undefined {
  const isSupported = languages === undefined || languages.includes(new Intl.Locale(tag).language);
  return isSupported ? undefined : languageFailure(tag, languages);
}

export function languageFailure(tag: string, languages: readonly string[]): Failure {
  const names = languages.length > 5 ? `${languages.length} others` : languages.join(', ');
  return failureFor('languageUnsupported', { language: tag, languages: names });
}

/** The output is canonical, so that `EN` and `en` are one subject. */
export const languageSchema = z
  .string()
  .max(LANGUAGE_MAX_CHARS, { abort: true })
  .refine((text) => canonicalLanguage(text) !== undefined, 'must be a BCP 47 language tag such as "en" or "pt-BR"')
  .overwrite((text) => canonicalLanguage(text) ?? text)
  .meta({ description: 'BCP 47 language tag', pattern: LANGUAGE_PATTERN, examples: ['en', 'pt-BR'] });

/** Codes that begin with another letter than those of two letters (ISO 639-2), and codes that were replaced. */
const OTHER_CODES = 'alb arm baq bur chi cor dut ger gre ice in iw ji kin mao may per spa tib wel'.split(' ');

/** @returns all codes by which sites name a language, that of BCP 47 first */
export function codesOf(language: string): readonly string[] {
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz');
  const codes = letters.flatMap((two) => letters.map((three) => language.slice(0, 1) + two + three));
  return [language, ...[...codes, ...OTHER_CODES].filter((code) => canonicalLanguage(code) === language)];
}

/** @returns the code of three letters that media files use (ISO 639-2); undefined if there is none */
export function threeLetterCode(tag = ''): string | undefined {
  const [language = ''] = canonicalLanguage(tag)?.split('-') ?? [];
  const codes = codesOf(language).filter((code) => code.length === 3);
  // Of several codes, the one for terminology resembles the two letters: `mkd` for `mk`, and not `mac`.
  const alike = new RegExp(`^${Array.from(language).join('.*')}`);
  return codes.find((code) => alike.test(code)) ?? codes[0];
}
