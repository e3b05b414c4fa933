import type { ItemStream } from './streams.ts';

/** Parts of facts that grow with the length of a recording: they are kept in pieces, as lists are, and read as streams. */
export const LONG_PARTS = ['lines', 'segments', 'turns'] as const;
export type LongPart = (typeof LONG_PARTS)[number];

/** Facts as they are read. */
export type KeptFacts<Facts> = {
  readonly [Key in keyof Facts]: Key extends LongPart
    ? Facts[Key] extends readonly (infer Item)[]
      ? ItemStream<Item>
      : Facts[Key]
    : Facts[Key];
};

/** Reads what jobs have kept; each kind says as what. */
export interface ContentsReader {
  facts<Facts extends object>(recordId: string): Promise<KeptFacts<Facts> | undefined>;
  /** The pieces of a list, one at a time. */
  pages<Item>(list: {
    readonly recordId: string;
    readonly name: string;
    readonly pieces: number;
  }): AsyncIterable<readonly Item[]>;
}

/** What a job has kept. @throws MissingContentsError */
export async function keptFacts<Facts extends object>(
  contents: ContentsReader,
  recordId: string,
): Promise<KeptFacts<Facts>> {
  const facts = await contents.facts<Facts>(recordId);
  if (facts === undefined) throw new MissingContentsError(recordId);
  return facts;
}

/** What a record refers to is not there any more, and no repetition brings it back. */
export class MissingContentsError extends Error {
  override readonly name = 'MissingContentsError';

  constructor(id: string) {
    super(`the contents ${id} are missing`);
  }
}
