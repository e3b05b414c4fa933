import type { ItemStream, PackedList } from '../http/streams.ts';

/** Parts of facts that grow with the length of a recording. They are stored in pieces like lists and read as streams. */
export const LONG_PARTS = ['lines', 'segments', 'speakerTurns'] as const;
export type LongPart = (typeof LONG_PARTS)[number];

export type KeptFacts<Facts> = {
  readonly [Key in keyof Facts]: Key extends LongPart
    ? Facts[Key] extends readonly (infer Item)[]
      ? ItemStream<Item>
      : Facts[Key]
    : Facts[Key];
};

/** Reads the stored contents of jobs; the kind determines their type. */
export interface ContentsReader {
  facts<Facts extends object>(recordId: string): Promise<KeptFacts<Facts> | undefined>;
  /** @returns undefined if it is not stored */
  piece<Item>(name: {
    readonly recordId: string;
    readonly name: string;
    readonly number: number;
  }): Promise<readonly Item[] | undefined>;
  /** @returns a list whose items are stored as they are in answers */
  list<Item>(list: { readonly recordId: string; readonly name: string; readonly pieces: number }): PackedList<Item>;
}

/** The stored facts of a job. @throws MissingContentsError */
export async function keptFacts<Facts extends object>(
  contents: ContentsReader,
  recordId: string,
): Promise<KeptFacts<Facts>> {
  const facts = await contents.facts<Facts>(recordId);
  if (facts === undefined) throw new MissingContentsError(recordId);
  return facts;
}

/** Thrown when the contents of a record were removed; a retry cannot succeed. */
export class MissingContentsError extends Error {
  override readonly name = 'MissingContentsError';

  constructor(id: string) {
    super(`the contents ${id} are missing`);
  }
}
