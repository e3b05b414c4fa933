import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BSON, type Document } from 'mongodb';
import { z } from 'zod';
import { fileNameSchema, ulidSchema } from '../../contract/ids.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { RESTORE_MARKS } from './unfinished-restore.ts';

/** What passes by itself, is made anew at a start, is worked out from the rest, or is copied as a part of it. */
export const NOT_KEPT: readonly string[] = ['windows', 'circuit_breakers', 'engines', 'pockets', RESTORE_MARKS];

/**
 * What points to records first, so that no pointer leads to a record that is younger than the copy; then the records; then what
 * was written before its record ended. Nobody stops the service for it. Others go first.
 */
export const RECORDS_AND_LATER: readonly string[] = ['records', 'contents', 'ledger'];

export const MANIFEST = 'manifest.json';
export const FILES_LIST = 'files';

const sha256Schema = z.string().regex(/^[\da-f]{64}$/);
const partSchema = z.object({ count: z.int().min(0), bytes: z.int().min(0), sha256: sha256Schema });
export const manifestSchema = z.object({
  format: z.literal(1),
  /** ISO 8601 UTC: everything that was answered before is in it. */
  takenAt: z.iso.datetime(),
  /** By name: a file NAME.jsonl with a document in each line, as canonical Extended JSON. */
  collections: z.record(z.string().regex(/^[\w-]{1,100}$/), partSchema),
  /** The published files that its records name; `areCopied`: they lie in the folder `files`. */
  files: partSchema.extend({ areCopied: z.boolean() }),
  /** Published files that are in neither list nor folder: their bytes were not those that were published. */
  damaged: z.array(z.object({ recordId: z.string(), name: z.string() })).exactOptional(),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type Part = z.infer<typeof partSchema>;

/** A line of the list of files. */
const fileLineSchema = z.object({
  recordId: ulidSchema,
  file: z.object({ name: fileNameSchema, sizeBytes: z.int().min(0), sha256: sha256Schema }),
});
export type FileLine = z.infer<typeof fileLineSchema>;

export const lineOf = (document: Document): string => BSON.EJSON.stringify(document, { relaxed: false });
/** Numbers keep their kinds. */
export const documentOf = (line: string): Document => BSON.EJSON.parse(line, { relaxed: false }) as Document;
/** As the driver gives it. */
export const recordOf = (line: string) => BSON.EJSON.parse(line) as unknown as Stored;
type Stored = DownloadRecord & { readonly _id: string };
export const fileOf = (line: string): FileLine => fileLineSchema.parse(JSON.parse(line));

export function pathIn(folder: string, name: string): string {
  return join(folder, `${name}.jsonl`);
}

/** Where the copy has the bytes of a file. */
export function copyPath(folder: string, { recordId, file }: FileLine): string {
  return join(folder, 'files', recordId, file.name);
}

/** Writes lines as they come, and the file to the disk at the end. */
export async function writeLines(folder: string, name: string, lines: AsyncIterable<string>): Promise<Part> {
  const handle = await open(pathIn(folder, name), 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    const part = { count: 0, bytes: 0 };
    for await (const line of lines) {
      const bytes = Buffer.from(`${line}\n`);
      await handle.write(bytes);
      hash.update(bytes);
      part.count += 1;
      part.bytes += bytes.length;
    }
    await handle.sync();
    return { ...part, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

/** A document has 16 MiB, and the longest Extended JSON of a byte six characters. */
const MAX_LINE_CHARS = 128 * 1024 ** 2;

/** Node's readline also ends lines at U+2028 and U+2029, which JSON leaves as they are: a webhook's URL may hold them. */
export async function* readLines(folder: string, name: string): AsyncGenerator<string> {
  const handle = await openPlain(pathIn(folder, name));
  let begun: string[] = [];
  let chars = 0;
  for await (const chunk of handle.createReadStream({ encoding: 'utf8' })) {
    const lines = (chunk as string).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      yield [...begun, line].join('');
      [begun, chars] = [[], 0];
    }
    begun.push(rest);
    chars += rest.length;
    if (chars > MAX_LINE_CHARS) throw new Error(`${pathIn(folder, name)} has a line that no document has`);
  }
  if (chars > 0) yield begun.join('');
}

/** Opens a file of a copy. @throws where it is a link, a device or a pipe: a copy may come from anywhere */
export async function openPlain(path: string): Promise<FileHandle> {
  // A pipe would be waited for.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error(`${path} is no plain file`);
}

/** Writes a file that must not be there, to the disk. @returns its SHA-256 in hex */
export async function writeHashed(path: string, source: Readable): Promise<string> {
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(undefined, chunk);
    },
  });
  await pipeline(source, hashing, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
  return hash.digest('hex');
}

/** The published files that the records of a copy name, in their order: that of the list of files. @throws for an altered record */
export async function* filesOfRecords(folder: string): AsyncGenerator<FileLine> {
  for await (const line of readLines(folder, 'records')) {
    const { _id: recordId, ...record } = recordOf(line);
    if (!ulidSchema.safeParse(recordId).success)
      throw new Error(`${JSON.stringify(recordId)} is not the id of a record`);
    if (record.status !== 'success' || record.filesRemovedAt !== undefined) continue;
    for (const { name, sizeBytes, sha256 } of record.files) {
      const { success, data } = fileLineSchema.safeParse({ recordId, file: { name, sizeBytes, sha256 } });
      if (!success) throw new Error(`the record ${recordId} names ${JSON.stringify(name)}, which is no published file`);
      yield data;
    }
  }
}
