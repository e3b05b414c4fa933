import type { ContentsReader } from '../contents.ts';
import type { Prices } from '../prices.ts';

/** What rendering needs beside the record; links are made at the moment of rendering, so they are fresh. */
export interface RenderContext {
  readonly prices: Prices;
  /** @returns a signed link to a published file of a record */
  readonly linkTo: (recordId: string, fileName: string) => string;
  readonly contents: ContentsReader;
}
