import { bounded } from '../sources/vidnet/fact-schemas.ts';

const MAX_CHARS = 300;

/** What a record tells of what its subject is called: a platform's text in one line, with a bound. */
export function titled(text: string | undefined): { readonly title?: string } {
  const title = bounded((text ?? '').replace(/\s+/g, ' ').trim(), MAX_CHARS);
  return title === '' ? {} : { title };
}
