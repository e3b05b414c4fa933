import { canonicalLanguage } from '../contract/text/language-tags.ts';
import type { WindowResult } from '../contract/speech-results.ts';

/** Languages that Whisper names otherwise than Unicode does. */
const WHISPER_NAMES: Readonly<Record<string, string>> = {
  bengali: 'bn',
  myanmar: 'my',
  nynorsk: 'nn',
  tagalog: 'fil',
};
/** Languages whose code Whisper has from an older list. */
const WHISPER_CODES: Readonly<Record<string, string>> = { nb: 'no', fil: 'tl' };
/** Of Whisper's languages these alone have no code of two letters. */
const LONG_CODES = ['haw', 'yue'];

const english = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
let codesByName: ReadonlyMap<string, string> | undefined;

/**
 * @param text what a server says: `en`, `english`, `Haitian Creole`
 * @returns the code; undefined when it is no known language
 */
export function languageCodeOf(text: string): string | undefined {
  const name = plain(text.trim());
  codesByName ??= namesOfLanguages();
  const code = WHISPER_NAMES[name] ?? codesByName.get(name);
  if (code !== undefined) return code;
  const tag = canonicalLanguage(name);
  // `und`, `mul` and the like say that it is not known.
  return tag === undefined || /^(?:und|mul|zxx|mis)\b/.test(tag) || english.of(tag) === undefined ? undefined : tag;
}

/** @param tag BCP 47 @returns the code that the API takes: of the language alone */
export function requestLanguageOf(tag: string): string {
  const { language } = new Intl.Locale(tag);
  return WHISPER_CODES[language] ?? language;
}

/** Other codes that a request names by this one. */
export function codesFor(requestLanguage: string): readonly string[] {
  return Object.keys(WHISPER_CODES).filter((code) => WHISPER_CODES[code] === requestLanguage);
}

function namesOfLanguages(): Map<string, string> {
  const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i));
  const codes = [...letters.flatMap((first) => letters.map((second) => first + second)), ...LONG_CODES];
  const names = new Map<string, string>();
  for (const code of codes) {
    const name = english.of(code);
    // Withdrawn codes have the name of the one that replaced them.
    if (name !== undefined && canonicalLanguage(code) === code) names.set(plain(name), code);
  }
  return names;
}

/** Whisper writes `maori`, Unicode `Māori`. */
function plain(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The language in which most words of the whole audio are; undefined when the engine tells none. */
export function languageOf(results: readonly WindowResult[]): string | undefined {
  const words = new Map<string, number>();
  for (const { language, words: heard } of results) {
    if (language !== undefined) words.set(language, (words.get(language) ?? 0) + heard.length);
  }
  return [...words].sort(([, a], [, b]) => b - a)[0]?.[0];
}
