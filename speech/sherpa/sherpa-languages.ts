import { JobError } from '../../runtime/job-error.ts';
import { canonicalLanguage } from '../../contract/text/language-tags.ts';
import { codesFor, languageCodeOf, requestLanguageOf } from '../language-codes.ts';
import type { Recogniser } from '../models/inspect.ts';

/** Whisper has some codes from older lists. */
const WHISPER_CODES: Readonly<Record<string, string>> = { jv: 'jw' };
const CODES_OF_WHISPER: Readonly<Record<string, string>> = { jw: 'jv' };

/**
 * @param tag BCP 47
 * @returns the code that the recogniser takes
 * @throws JobError `unsupported` when it doesn't know the language
 */
export function requestedLanguage(tag: string, recogniser: Recogniser | undefined): string {
  const language = requestLanguageOf(tag);
  const code = WHISPER_CODES[language] ?? language;
  const known = recogniser?.languages;
  if (known === undefined || known.includes(code)) return code;
  const names = known.length > 5 ? `${known.length} others` : known.join(', ');
  throw new JobError('unsupported', `The speech model does not know the language ${tag}; it knows ${names}.`);
}

/** The codes by which callers may name the recogniser's languages; undefined when it takes any. */
export function languagesOf(recogniser: Recogniser | undefined): readonly string[] | undefined {
  return recogniser?.languages?.flatMap((code) => {
    const known = CODES_OF_WHISPER[code] ?? code;
    return [canonicalLanguage(known) ?? known, ...codesFor(known)];
  });
}

/** @param code what Whisper says; empty for its models of English alone */
export function heardLanguage(code: string): string | undefined {
  return languageCodeOf(CODES_OF_WHISPER[code] ?? code);
}
