import { JobError } from '../../runtime/job-error.ts';
import { canonicalLanguage, languageFailure } from '../../contract/text/language-tags.ts';
import { aliasesOf, languageCodeOf, requestLanguageOf } from '../language-codes.ts';

/** Languages for which Whisper uses a code of an older list. */
const WHISPER_CODES: Readonly<Record<string, string>> = { jv: 'jw' };
const CODES_OF_WHISPER: Readonly<Record<string, string>> = { jw: 'jv' };

/** @param known the codes of the model @throws JobError `unsupported` */
export function requestedLanguage(tag: string, known: readonly string[]): string {
  const language = requestLanguageOf(tag);
  const code = WHISPER_CODES[language] ?? language;
  if (known.includes(code)) return code;
  throw new JobError(languageFailure(tag, known));
}

/** The codes that callers may use for the languages of the model. */
export function requestLanguages(known: readonly string[]): readonly string[] {
  return known.flatMap((code) => {
    const language = CODES_OF_WHISPER[code] ?? code;
    return [canonicalLanguage(language) ?? language, ...aliasesOf(language)];
  });
}

export function detectedLanguage(code: string): string | undefined {
  return languageCodeOf(CODES_OF_WHISPER[code] ?? code);
}
