import { z } from 'zod';

/** The longest tag that RFC 5646 (section 4.4.1) expects anybody to need. */
const LANGUAGE_MAX_CHARS = 35;

/**
 * @param text a language tag in any case, or an old one: `EN`, `pt-br`, `iw`
 * @returns the tag as BCP 47 writes it: `en`, `pt-BR`, `he`; undefined for what is no well-formed tag
 */
export function canonicalLanguage(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/** A language tag of a request. The output is canonical, so that `EN` and `en` are one subject. */
export const languageSchema = z
  .string()
  .max(LANGUAGE_MAX_CHARS, { abort: true })
  .refine((text) => canonicalLanguage(text) !== undefined, 'must be a BCP 47 language tag such as "en" or "pt-BR"')
  .overwrite((text) => canonicalLanguage(text) ?? text)
  .meta({ description: 'BCP 47 language tag', examples: ['en', 'pt-BR'] });
