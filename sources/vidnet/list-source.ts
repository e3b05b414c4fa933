import type { EntryKind, ListEntry, ListReference } from '../../contract/lists/list-entry.ts';
import type { SourceCall } from '../source-call-options.ts';

/** A part of a list that one URL gives. */
export interface ListPart {
  readonly url: string;
  readonly subject: 'playlist' | 'page';
  /** The kind of all its entries, if they have one. */
  readonly kind?: EntryKind;
}

export interface EntryPage {
  readonly entries: readonly ListEntry[];
  readonly next?: string;
}

/** The driver for the entries of lists. */
export interface ListSource {
  /**
   * Finds the URLs of a list.
   *
   * @param kinds the wanted kinds; undefined for all
   * @throws JobError, such as `removed` when a channel does not exist
   */
  partsOf(
    reference: ListReference,
    kinds: readonly EntryKind[] | undefined,
    call: SourceCall,
  ): Promise<readonly ListPart[]>;
  /** Reads the list page by page. @param from `next` of an earlier page @throws StaleCursorError, JobError */
  pages(parts: readonly ListPart[], from: string | undefined, call: SourceCall): AsyncIterable<EntryPage>;
  /** Reads the first entries of each part, with one request for each if they fit on a page of the platform. */
  first(parts: readonly ListPart[], most: number, call: SourceCall): AsyncIterable<ListEntry>;
}
