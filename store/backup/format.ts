import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BSON, type Document } from 'mongodb';
import { z } from 'zod';
import { fileNameSchema, ulidSchema } from '../../contract/ids.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { RESTORE_MARKS } from './unfinished-restore.ts';

/** Collections that are not copied: they expire, are rebuilt at a start, or are copied as a part of accounts. */
export const NOT_COPIED: readonly string[] = [
  ...['windows', 'idempotency_keys', 'idempotency_times', 'circuit_breakers', 'engines'],
  ...['overflow_chunks', RESTORE_MARKS],
];

/** In this order: the service continues to write, and no earlier document may refer to a record that is not copied. */
export const RECORDS_AND_LATER: readonly string[] = ['records', 'contents', 'ledger'];

export const MANIFEST = 'manifest.json';
export const FILES_LIST = 'files';

const sha256Schema = z.string().regex(/^[\da-f]{64}$/);
const partSchema = z.object({ count: z.int().min(0), bytes: z.int().min(0), sha256: sha256Schema });
export const manifestSchema = z.object({
  format: z.literal(1),
  /** ISO 8601 UTC. All that was answered before this time is in the copy. */
  takenAt: z.iso.datetime(),
  /** The keys are names of collections. NAME.jsonl has a document in each line, as canonical Extended JSON. */
  collections: z.record(z.string().regex(/^[\w-]{1,100}$/), partSchema),
  /** The published files of the records. If `areCopied`, they are in the folder `files`. */
  files: partSchema.extend({ areCopied: z.boolean() }),
  damaged: z.array(z.object({ recordId: z.string(), name: z.string() })).exactOptional(),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type Part = z.infer<typeof partSchema>;

const fileLineSchema = z.object({
  recordId: ulidSchema,
  file: z.object({ name: fileNameSchema, sizeBytes: z.int().min(0), sha256: sha256Schema }),
});
export type FileLine = z.infer<typeof fileLineSchema>;

export const lineOf = (document: Document): string => BSON.EJSON.stringify(document, { relaxed: false });
/** Numbers keep their BSON types. */
export const documentOf = (line: string): Document => BSON.EJSON.parse(line, { relaxed: false }) as Document;
/** Numbers become JavaScript numbers, as in documents that the driver returns. */
export const recordOf = (line: string) =>
  BSON.EJSON.parse(line) as unknown as DownloadRecord & { readonly _id: string };
export const fileOf = (line: string): FileLine => fileLineSchema.parse(JSON.parse(line));

export function pathIn(folder: string, name: string): string {
  return join(folder, `${name}.jsonl`);
}

export function copyPath(folder: string, { recordId, file }: FileLine): string {
  return join(folder, 'files', recordId, file.name);
}

export async function writeLines(
  folder: string,
  name: string,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<Part> {
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

/** A document has at most 16 MiB, and Extended JSON at most six characters per byte. */
const MAX_LINE_CHARS = 128 * 1024 ** 2;

/** Node's readline also splits at U+2028 and U+2029, which may occur in JSON, such as in the URL of a webhook. */
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
    if (chars > MAX_LINE_CHARS) throw new Error(`${pathIn(folder, name)} has a line that is longer than any document`);
  }
  if (chars > 0) yield begun.join('');
}

/** Opens a file of a copy. @throws Error when it is a link, a device or a pipe, since the copy may be altered */
export async function openPlain(path: string): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error(`${path} is not a regular file`);
}

export async function writeHashed(path: string, source: Readable): Promise<string> {
  const hash = createHash('sha256');
  async function* hashed(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }
  await pipeline(source, hashed, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
  return hash.digest('hex');
}

/** @throws Error for an altered record */
export async function* filesOfRecords(folder: string): AsyncGenerator<FileLine> {
  for await (const line of readLines(folder, 'records')) {
    const { _id: recordId, ...record } = recordOf(line);
    if (!ulidSchema.safeParse(recordId).success)
      throw new Error(`${JSON.stringify(recordId)} is not the id of a record`);
    if (record.status !== 'success' || record.filesRemovedAt !== undefined) continue;
    for (const { name, sizeBytes, sha256 } of record.files) {
      const { success, data } = fileLineSchema.safeParse({ recordId, file: { name, sizeBytes, sha256 } });
      if (!success)
        throw new Error(`the record ${recordId} names ${JSON.stringify(name)}, which is not a published file`);
      yield data;
    }
  }
}
