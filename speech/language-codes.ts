import { canonicalLanguage } from '../contract/text/language-tags.ts';
import { toMilliseconds } from '../contract/text/times.ts';
import type { WindowResult } from '../contract/speech-results.ts';

/** Languages for which Whisper and Unicode use different names. */
const WHISPER_NAMES: Readonly<Record<string, string>> = {
  bengali: 'bn',
  myanmar: 'my',
  nynorsk: 'nn',
  tagalog: 'fil',
};
/** Languages for which Whisper uses the code of an older list. */
const WHISPER_CODES: Readonly<Record<string, string>> = { nb: 'no', fil: 'tl' };
/** The only languages of Whisper that have no code of two letters. */
const LONG_CODES = ['haw', 'yue'];

const english = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
let codesByName: ReadonlyMap<string, string> | undefined;

/** @param text as a server writes it: `en`, `english`, `Haitian Creole` */
export function languageCodeOf(text: string): string | undefined {
  const name = normalizedName(text.trim());
  codesByName ??= codesByLanguageName();
  const code = WHISPER_NAMES[name] ?? codesByName.get(name);
  if (code !== undefined) return code;
  const tag = canonicalLanguage(name);
  // `und`, `mul` and similar codes stand for an unknown language.
  return tag === undefined || /^(?:und|mul|zxx|mis)\b/.test(tag) || english.of(tag) === undefined ? undefined : tag;
}

/** The API accepts neither script nor region. */
export function requestLanguageOf(tag: string): string {
  const { language } = new Intl.Locale(tag);
  return WHISPER_CODES[language] ?? language;
}

export function aliasesOf(requestLanguage: string): readonly string[] {
  return Object.keys(WHISPER_CODES).filter((code) => WHISPER_CODES[code] === requestLanguage);
}

function codesByLanguageName(): Map<string, string> {
  const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i));
  const codes = [...letters.flatMap((first) => letters.map((second) => first + second)), ...LONG_CODES];
  const names = new Map<string, string>();
  for (const code of codes) {
    const name = english.of(code);
    // A withdrawn code has the same name as the code that replaced it.
    if (name !== undefined && canonicalLanguage(code) === code) names.set(normalizedName(name), code);
  }
  return names;
}

/** Removes case and diacritics: Whisper writes `maori`, Unicode `Māori`. */
function normalizedName(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The language of most words in the whole audio; undefined if the engine does not report languages. */
export function languageOf(results: readonly WindowResult[]): string | undefined {
  const words = new Map<string, number>();
  for (const result of results) {
    const { language } = result;
    if (language !== undefined) words.set(language, (words.get(language) ?? 0) + result.words.length);
  }
  return [...words].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** The mean probability of a language in the windows in which it was detected; undefined if the engine does not report it. */
export function probabilityOf(language: string, results: readonly WindowResult[]): number | undefined {
  const found = results.flatMap((result) => (result.language === language ? (result.languageProbability ?? []) : []));
  return found.length === 0 ? undefined : toMilliseconds(found.reduce((sum, one) => sum + one, 0) / found.length);
}
