import { JobError } from '../../runtime/job-error.ts';
import { canonicalLanguage, languageFailure } from '../../contract/text/language-tags.ts';
import { aliasesOf, languageCodeOf, requestLanguageOf } from '../language-codes.ts';
import type { Recogniser } from '../models/inspect.ts';

/** Languages for which Whisper uses a code of an older list. */
const WHISPER_CODES: Readonly<Record<string, string>> = { jv: 'jw' };
const CODES_OF_WHISPER: Readonly<Record<string, string>> = { jw: 'jv' };

/** @throws JobError `unsupported` */
export function requestedLanguage(tag: string, recogniser: Recogniser | undefined): string {
  const language = requestLanguageOf(tag);
  const code = WHISPER_CODES[language] ?? language;
  const known = recogniser?.languages;
  if (known === undefined || known.includes(code)) return code;
  throw new JobError(languageFailure(tag, known));
}

/** The codes that callers may use for the languages of the recogniser; undefined if it accepts any. */
export function languagesOf(recogniser: Recogniser | undefined): readonly string[] | undefined {
  return recogniser?.languages?.flatMap((code) => {
    const known = CODES_OF_WHISPER[code] ?? code;
    return [canonicalLanguage(known) ?? known, ...aliasesOf(known)];
  });
}

/** @param code the code of Whisper; empty for its English-only models */
export function detectedLanguage(code: string): string | undefined {
  return languageCodeOf(CODES_OF_WHISPER[code] ?? code);
}
