import type { Readable } from 'node:stream';
import { fileNameSchema, ulidSchema } from '../../contract/ids.ts';
import type { PublishedFile } from '../../contract/download-record.ts';

export interface FileKey {
  readonly recordId: string;
  readonly name: string;
}

/** Offsets of the first and the last byte, both inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export interface StoredFile {
  readonly sizeBytes: number;
  /** Milliseconds since 1970; some stores only have whole seconds. */
  readonly modifiedMs: number;
  /** Changes with the contents, like an HTTP entity tag without quotes. */
  readonly tag: string;
  /** The caller reads the stream to its end or destroys it. @throws MissingFileError when removed or replaced */
  read(range?: ByteRange): Promise<Readable>;
}

export interface FileEntry extends FileKey {
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** Methods with a key throw an error for an impossible one, since the database may be altered. */
export interface FileStore {
  /** @throws Error with the reason when the store cannot be used as it is configured */
  check(): Promise<void>;
  /** Atomic, durable; replaces an older file; may move `sourcePath`. @throws JobError `disk_full`; StoreAwayError */
  publish(sourcePath: string, key: FileKey, signal: AbortSignal): Promise<PublishedFile>;
  /** Whether the store has exactly this file. @throws StoreAwayError */
  has(recordId: string, file: PublishedFile): Promise<boolean>;
  /** @returns undefined when the file does not exist @throws StoreAwayError */
  open(key: FileKey): Promise<StoredFile | undefined>;
  /**
   * @param folder receives a copy if the store is not on this machine; the caller removes it
   * @returns the path of a complete and verified file, which may be in the store and must not be changed
   * @throws MissingFileError; StoreAwayError
   */
  localCopy(recordId: string, file: PublishedFile, folder: string): Promise<string>;
  remove(key: FileKey): Promise<void>;
  /** @param after `next` of the page before; the last page has none */
  page(after?: string): Promise<{ readonly entries: readonly FileEntry[]; readonly next?: string }>;
  /** Removes remains of interrupted publications that started before. @returns how many were removed */
  removeLeftovers(beforeMs: number): Promise<number>;
}

export class MissingFileError extends Error {
  override readonly name = 'MissingFileError';

  constructor({ recordId, name }: FileKey, options?: ErrorOptions) {
    super(`file ${recordId}/${name} is not kept`, options);
  }
}

export class StoreAwayError extends Error {
  override readonly name = 'StoreAwayError';
}

/** @throws for a record ID or name that no published file can have, because it might lead out of the store */
export function pathOfKey({ recordId, name }: FileKey): string {
  const path = `${recordId}/${name}`;
  if (fileKeyOf(path) === undefined) throw new Error(`${JSON.stringify(path)} is not the path of a published file`);
  return path;
}

export function isRecordId(text: string): boolean {
  return ulidSchema.safeParse(text).success;
}

export function fileKeyOf(path: string): FileKey | undefined {
  const [recordId = '', name = '', ...rest] = path.split('/');
  const isKey = rest.length === 0 && isRecordId(recordId) && fileNameSchema.safeParse(name).success;
  return isKey ? { recordId, name } : undefined;
}
