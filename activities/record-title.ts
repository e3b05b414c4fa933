import { bounded, oneLine } from '../sources/vidnet/fact-schemas.ts';

const MAX_CHARS = 300;

/** @returns the title of a record: the platform's text in one line, shortened */
export function titled(text: string | undefined): { readonly title?: string } {
  const title = bounded(oneLine(text ?? ''), MAX_CHARS);
  return title === '' ? {} : { title };
}
