import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { BSON, type Document } from 'mongodb';
import { z } from 'zod';
import type { DownloadRecord } from '../../contract/records.ts';

/** What passes by itself, is made anew at a start, is worked out from the rest, or is copied as a part of it. */
export const NOT_KEPT: readonly string[] = ['windows', 'circuit_breakers', 'engines', 'migrations', 'pockets'];

/**
 * What points to records first, so that no pointer leads to a record that is younger than the copy; then the records; then what
 * was written before its record ended. Nobody stops the service for it. Others go first.
 */
export const RECORDS_AND_LATER: readonly string[] = ['records', 'contents', 'ledger'];

export const MANIFEST = 'manifest.json';
export const FILES_LIST = 'files';

const partSchema = z.object({ count: z.int().min(0), bytes: z.int().min(0), sha256: z.string() });
export const manifestSchema = z.object({
  format: z.literal(1),
  /** ISO 8601 UTC: everything that was answered before is in it. */
  takenAt: z.string(),
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
export const fileLineSchema = z.object({
  recordId: z.string(),
  file: z.object({ name: z.string(), sizeBytes: z.number(), sha256: z.string() }),
});
export type FileLine = z.infer<typeof fileLineSchema>;

export const lineOf = (document: Document): string => BSON.EJSON.stringify(document, { relaxed: false });
/** Numbers keep their kinds. */
export const documentOf = (line: string): Document => BSON.EJSON.parse(line, { relaxed: false }) as Document;
/** As the driver gives it. */
export const recordOf = (line: string) => BSON.EJSON.parse(line) as unknown as Stored;
type Stored = DownloadRecord & { readonly _id: string };

export function pathIn(folder: string, name: string): string {
  return join(folder, `${name}.jsonl`);
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

/** Node's readline also ends lines at U+2028 and U+2029, which JSON leaves as they are: a webhook's URL may hold them. */
export async function* readLines(folder: string, name: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(pathIn(folder, name), { encoding: 'utf8' })) {
    const lines = (rest + (chunk as string)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
