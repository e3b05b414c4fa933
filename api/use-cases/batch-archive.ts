import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { renderBatch } from '../../contract/batches/batch-answers.ts';
import { BATCH_ARCHIVE, type StoredBatch } from '../../contract/batches/batch-state.ts';
import type { Caller } from '../../contract/http/account-schemas.ts';
import type { SuccessRecord } from '../../contract/download-record.ts';
import { jsonChunks } from '../../contract/http/streams.ts';
import { keptFacts, MissingContentsError } from '../../contract/kinds/contents.ts';
import { renderResult } from '../../contract/kinds/kinds.ts';
import type { TranscriptFacts } from '../../contract/kinds/transcript-facts.ts';
import { fileNameOf } from '../../runtime/file-names.ts';
import { TRANSCRIPT_FORMATS, writtenBy } from '../../contract/text/transcript-formats.ts';
import { MissingFileError } from '../../store/files/file-store.ts';
import { yieldingChunks } from '../http/yielding-chunks.ts';
import { zipOf, type ZipEntry } from '../http/zip-stream.ts';
import type { ExportedFile } from '../operations/operation.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { itemAnswerOf, ownBatch, storedItems, type OneBatch, type StoredItem } from './batches.ts';

type ArchiveDeps = Pick<ServiceDeps, 'batches' | 'records' | 'files' | 'rendering'>;

/** GET /api/batches/{batchId}/archive.zip: the results of the items that have ended so far. */
export async function archiveBatch(
  deps: ServiceDeps,
  caller: Caller,
  { batch_id: id }: OneBatch,
): Promise<ExportedFile> {
  return archiveOf(deps, await ownBatch(deps, caller, id));
}

export function archiveOf(deps: ArchiveDeps, batch: StoredBatch): ExportedFile {
  const open = () => zipOf(entriesOf(deps, batch));
  return { name: `batch-${batch.id}.zip`, contentType: BATCH_ARCHIVE.contentType, isBinary: true, open };
}

interface ArchivedItem extends StoredItem {
  readonly files: readonly string[];
}

async function* entriesOf(deps: ArchiveDeps, batch: StoredBatch): AsyncGenerator<ZipEntry> {
  const archived: ArchivedItem[] = [];
  // Many file systems do not distinguish upper and lower case.
  const taken = new Set<string>([MANIFEST]);
  const nameOf = ({ title, mediaId: id }: SuccessRecord, ending: string): string => {
    for (let copy = 1; ; copy += 1) {
      const name = fileNameOf({ title, id, ending: copy === 1 ? ending : `_${String(copy)}${ending}` });
      if (taken.has(name.toLowerCase())) continue;
      taken.add(name.toLowerCase());
      return name;
    }
  };
  for await (const item of storedItems(deps, batch)) {
    const id = item.progress?.recordId;
    const record = id === undefined ? undefined : await deps.records.get(id);
    const files: string[] = [];
    if (record?.status === 'success') {
      for await (const { ending, contents } of resultsOf(deps, record)) {
        const name = nameOf(record, ending);
        files.push(name);
        yield { name, modified: new Date(record.finishedAt), contents };
      }
    }
    archived.push({ ...item, files });
  }
  yield { name: MANIFEST, modified: new Date(), contents: Readable.from(manifestOf(deps, { batch, archived })) };
}

interface Result {
  readonly ending: string;
  readonly contents: Readable;
}

/** The files of a record, or else its result as JSON. What retention has removed is left out. */
async function* resultsOf({ files, rendering }: ArchiveDeps, record: SuccessRecord): AsyncGenerator<Result> {
  for (const [index, { name }] of record.files.entries()) {
    const contents = await orRemoved(async () => (await files.open({ recordId: record.id, name }))?.read());
    const number = index === 0 ? '' : `-${String(index + 1)}`;
    if (contents !== undefined) yield { ending: `${number}${extname(name)}`, contents };
  }
  if (record.files.length > 0) return;
  const result = await orRemoved(() => renderResult(record, rendering));
  if (result === undefined) return;
  const written = (chunks: AsyncIterable<string | Uint8Array>) => Readable.from(yieldingChunks(chunks));
  if (record.type === 'captions') {
    const { lines, track } = await keptFacts<TranscriptFacts>(rendering.contents, record.id);
    yield { ending: `.${track.language}.json`, contents: written(jsonChunks(result)) };
    const writer = TRANSCRIPT_FORMATS.srt.writer();
    yield { ending: `.${track.language}.srt`, contents: written(writtenBy(writer, lines.pages())) };
  } else {
    yield { ending: '.json', contents: written(jsonChunks(result)) };
  }
}

async function orRemoved<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
  return find().catch((error: unknown) => {
    if (error instanceof MissingFileError || error instanceof MissingContentsError) return undefined;
    throw error;
  });
}

const MANIFEST = 'manifest.json';

/** Lists each item with its record, its failure, and the names of its files. Records are read again, so that few are in memory. */
async function* manifestOf(
  deps: ArchiveDeps,
  { batch, archived }: { readonly batch: StoredBatch; readonly archived: readonly ArchivedItem[] },
): AsyncGenerator<string> {
  yield `{"batch":${JSON.stringify(renderBatch(batch, deps.rendering))},"items":[`;
  for (const [index, { files, ...item }] of archived.entries()) {
    yield `${index === 0 ? '' : ','}\n${JSON.stringify({ ...(await itemAnswerOf(deps, item)), files })}`;
  }
  yield '\n]}\n';
}
