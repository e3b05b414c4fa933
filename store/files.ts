import type { Readable } from 'node:stream';
import { FILE_NAME } from '../contract/ids.ts';
import type { PublishedFile } from '../contract/records.ts';

/** A published file's place: the folder of its record, and its name in it. */
export interface FileKey {
  readonly recordId: string;
  readonly name: string;
}

/** Bytes of a file, both inclusive, counted from 0. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** A published file as it is now, for whoever serves it. */
export interface StoredFile {
  readonly sizeBytes: number;
  /** Milliseconds since 1970, whole seconds in some stores. */
  readonly modifiedMs: number;
  /** Another one whenever the contents are others; without quotes. */
  readonly tag: string;
  /**
   * The bytes of this very version; whoever asks reads the stream to its end or destroys it.
   *
   * @throws MissingFileError when the file is gone, or was replaced
   */
  read(range?: ByteRange): Promise<Readable>;
}

/** A file as the listing of a store tells it. */
export interface FileEntry extends FileKey {
  /** When it was published, in milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** Published files. A reader sees a whole file or none. */
export interface FileStore {
  /** @throws an error that says what is wrong when the store cannot be used as it is configured */
  check(): Promise<void>;
  /**
   * Puts a finished file into its place, atomically and durably; an older one of that name is replaced. The source
   * may be gone afterwards.
   *
   * @param sourcePath on disk, on the file system of the work folders
   * @param signal ends it: nothing is visible then
   * @throws JobError `disk_full`; StoreAwayError
   */
  publish(sourcePath: string, key: FileKey, signal: AbortSignal): Promise<PublishedFile>;
  /** Whether the very file is there. @throws StoreAwayError */
  has(recordId: string, file: PublishedFile): Promise<boolean>;
  /** @returns undefined when there is none @throws StoreAwayError */
  open(key: FileKey): Promise<StoredFile | undefined>;
  /**
   * A path at which a published file can be read, whole and verified.
   *
   * @param folder where a copy is put if the store is not on this machine; whoever owns the folder removes it. The path
   * may also lead into the store: nothing may write there
   * @throws MissingFileError; StoreAwayError
   */
  localCopy(recordId: string, file: PublishedFile, folder: string): Promise<string>;
  /** Removes a file; one that is gone is no error. */
  remove(key: FileKey): Promise<void>;
  /**
   * Lists what is there, a page at a time. What is not of our making is not told.
   *
   * @param after the `next` of the page before
   * @returns `next`: absent on the last page
   */
  page(after?: string): Promise<{ readonly entries: readonly FileEntry[]; readonly next?: string }>;
  /** Removes what dead publications left behind, begun before a time (milliseconds since 1970). @returns how many */
  removeLeftovers(beforeMs: number): Promise<number>;
}

/** The file is not there, or not the one that was meant. */
export class MissingFileError extends Error {
  override readonly name = 'MissingFileError';

  constructor({ recordId, name }: FileKey, options?: ErrorOptions) {
    super(`file ${recordId}/${name} is not kept`, options);
  }
}

/** The store gives no answer; later it may. */
export class StoreAwayError extends Error {
  override readonly name = 'StoreAwayError';
}

const RECORD_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** @returns the place that `<record id>/<name>` means; undefined for what no job publishes: only one dot, and no way up */
export function fileKeyOf(path: string): FileKey | undefined {
  const [recordId = '', name = '', ...rest] = path.split('/');
  return rest.length === 0 && RECORD_ID.test(recordId) && FILE_NAME.test(name) ? { recordId, name } : undefined;
}
