import type { Readable } from 'node:stream';
import { fileNameSchema, ulidSchema } from '../../contract/ids.ts';
import type { PublishedFile } from '../../contract/download-record.ts';

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

/**
 * Published files. A reader sees a whole file or none.
 *
 * Every method that takes a record id and a name throws {@link InvalidFileKeyError} before it does anything when they are not
 * what a job publishes: they may come from a database that somebody has altered.
 */
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

/** The record id or the name cannot be those of a published file: they might lead out of the store. */
export class InvalidFileKeyError extends Error {
  override readonly name = 'InvalidFileKeyError';

  constructor({ recordId, name }: FileKey) {
    super(
      `${JSON.stringify(recordId)} and ${JSON.stringify(name)} are not the record id and the name of a published file`,
    );
  }
}

/** @returns `<record id>/<name>` @throws InvalidFileKeyError */
export function pathOfKey(key: FileKey): string {
  if (!isRecordId(key.recordId) || !fileNameSchema.safeParse(key.name).success) throw new InvalidFileKeyError(key);
  return `${key.recordId}/${key.name}`;
}

export function isRecordId(text: string): boolean {
  return ulidSchema.safeParse(text).success;
}

/** @returns the key that `<record id>/<name>` means; undefined where {@link pathOfKey} throws */
export function fileKeyOf(path: string): FileKey | undefined {
  const [recordId = '', name = '', ...rest] = path.split('/');
  const isKey = rest.length === 0 && isRecordId(recordId) && fileNameSchema.safeParse(name).success;
  return isKey ? { recordId, name } : undefined;
}
