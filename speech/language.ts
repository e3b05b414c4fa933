import type { WindowResult } from '../contract/speech.ts';

/** The language in which most words of the whole audio are; undefined when the engine tells none. */
export function languageOf(results: readonly WindowResult[]): string | undefined {
  const words = new Map<string, number>();
  for (const { language, words: heard } of results) {
    if (language !== undefined) words.set(language, (words.get(language) ?? 0) + heard.length);
  }
  return [...words].sort(([, a], [, b]) => b - a)[0]?.[0];
}
