import { writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ulid } from 'ulid';
import { wholeVideo } from '../../../contract/kinds/channel.ts';
import { pendingRecordOf, type JobInput } from '../../../contract/job-input.ts';
import type { JobResult } from '../../../contract/download-record.ts';
import { createContentsStore } from '../../../store/records/contents-store.ts';
import { createDiskFiles } from '../../../store/files/disk-files.ts';
import { createRecordStore } from '../../../store/records/record-store.ts';
import { startBareServer, loadOf, type Load } from '../load.ts';
import type { Finding, Part } from '../part.ts';
import { residentMib } from '../processor-time.ts';
import { inTurn, median } from '../rounds.ts';
import { withBench, type Bench } from '../service.ts';

const LIST_ITEMS = 20_000;
/** As many as a page of the platform has. */
const ITEMS_PER_PAGE = 50;
/** How many callers read the list at once while the memory is measured, and how often each does. */
const READERS = 10;
const READS_EACH = 5;
const SAMPLE_MS = 10;
const FILE_BYTES = 100 * 1024 ** 2;
/** Slow reads get this share of the requests. */
const LARGE_SHARE = 1 / 200;

interface Read {
  readonly name: string;
  readonly ours: string;
  readonly how?: { readonly body?: string; readonly headers?: Record<string, string> };
  readonly bare: string;
  readonly requests: number;
}

/** Measures what callers read. The reference is a handler that only does what is necessary. */
export const reads: Part = {
  title: 'Reads',
  run: ({ dataDir, engine, rounds, requests, say }) =>
    withBench({ dataDir, engine, say, services: ['api'] }, async (bench) => {
      const bare = await startBareServer(bench.stack.mongodbUri, bench.db.databaseName);
      try {
        const all = await prepare(bench, { bareUrl: bare.url, dataDir, requests });
        const findings: Finding[] = [];
        const raw: Record<string, Record<'ours' | 'bare', Load[]>> = {};
        for (const read of all) {
          say(`${read.name}: ${String(read.requests)} requests a round`);
          await loadOf(read.ours, Math.ceil(read.requests / 10), read.how);
          await loadOf(read.bare, Math.ceil(read.requests / 10));
          const loads = await inTurn(rounds, {
            ours: () => loadOf(read.ours, read.requests, read.how),
            bare: () => loadOf(read.bare, read.requests),
          });
          raw[read.name] = loads;
          findings.push(findingOf(read.name, '1/s', { loads, of: 'perSecond' }));
          findings.push(findingOf(`${read.name}, p99`, 'ms', { loads, of: 'p99Ms' }));
          if (read.name.startsWith('list')) findings.push(await memoryOf(bench, read));
        }
        return { findings, raw };
      } finally {
        await bare.stop();
      }
    }),
};

function findingOf(
  what: string,
  unit: string,
  { loads, of }: { readonly loads: Record<'ours' | 'bare', Load[]>; readonly of: keyof Load },
): Finding {
  const value = (one: Load[]): number => median(one.map((load) => load[of]));
  return {
    what,
    unit,
    isChief: of === 'perSecond',
    value: value(loads.ours),
    reference: { what: 'bare handler', value: value(loads.bare) },
  };
}

/** The most memory of the api while several callers read at once. */
async function memoryOf({ stack }: Bench, { name, ours, how }: Read): Promise<Finding> {
  const api = stack.processes().find((one) => one.name === 'api')?.pid ?? 0;
  const before = residentMib(api);
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, residentMib(api))), SAMPLE_MS);
  await loadOf(ours, READERS * READS_EACH, { ...how, lanes: READERS });
  clearInterval(timer);
  const what = `api while ${String(READERS)} read the ${name}`;
  return { what, unit: 'MiB', isChief: true, value: most, reference: { what: 'before', value: before } };
}

interface Preparation {
  readonly bareUrl: string;
  readonly dataDir: string;
  readonly requests: number;
}

async function prepare(bench: Bench, { bareUrl, dataDir, requests }: Preparation): Promise<readonly Read[]> {
  const { db } = bench;
  const { restUrl } = bench.stack;
  const records = createRecordStore(db);
  const at = new Date().toISOString().replace('Z', '000Z');
  const begin = async (input: Pick<JobInput, 'type' | 'subjectId' | 'mediaId' | 'parameters'>): Promise<string> => {
    const recordId = ulid();
    await records.insertIfAbsent(
      pendingRecordOf({ ...input, recordId, createdAt: at, price: 5, startedBy: 'anonymous' }),
    );
    return recordId;
  };
  const end = (id: string, result: JobResult) => records.finish(id, { status: 'success', result }, at);
  const source = join(dataDir, 'large');
  await writeFile(source, Buffer.alloc(FILE_BYTES, 'tapedeck'));
  const mediaId = 'large-audio';
  const finished = await begin({ type: 'audio', subjectId: `audio/${mediaId}`, mediaId });
  const key = { recordId: finished, name: `${mediaId}.m4a` };
  const file = await createDiskFiles(join(dataDir, 'files')).publish(source, key, new AbortController().signal);
  await end(finished, { durationSeconds: 6_000, files: [file] });
  const link = new URL((await bench.ended(finished)).audio_url ?? '');

  const name = '@large';
  const parameters = { channel: { kind: 'handle', name: 'large' } };
  const listed = await begin({ type: 'list', subjectId: `list/${name}`, mediaId: name, parameters });
  const contents = createContentsStore(db);
  await contents.putFacts(listed, { vidnet_id: 'UC1', title: 'Large', url: 'https://video.example/' });
  let videos = { pieces: 0, items: 0 };
  const append = contents.appendTo({ recordId: listed, name: 'videos' }, videos);
  while (videos.items < LIST_ITEMS) {
    videos = await append(Array.from({ length: ITEMS_PER_PAGE }, (_, index) => aVideo(videos.items + index)));
  }
  await records.noteSuccess(await end(listed, { lists: { videos } }));
  const list = { ours: `${restUrl}/api/channel/profile`, how: { body: JSON.stringify({ url: name }) } };
  const packed = { ...list.how, headers: { 'accept-encoding': 'gzip' } };
  const listAnswer = join(dataDir, 'list.json');
  const answer = await (await fetch(list.ours, { method: 'POST', ...list.how })).text();
  if (answer.length < LIST_ITEMS * 10) throw new Error(`the list is not there: ${answer.slice(0, 1_000)}`);
  await writeFile(listAnswer, answer);
  await writeFile(`${listAnswer}.gz`, gzipSync(answer));

  const pending = await bench.requestAudio(bench.sandbox.catalogue[0]?.id ?? '');
  const bareFile = (path: string): string => `${bareUrl}/file?path=${encodeURIComponent(path)}`;
  const ofRecord = (id: string) => ({ ours: `${restUrl}/downloads/${id}`, bare: `${bareUrl}/record/${id}` });
  const fewer = Math.ceil(requests * LARGE_SHARE);
  return [
    { name: 'finished record', ...ofRecord(finished), requests },
    { name: 'pending record', ...ofRecord(pending.id), bare: `${bareUrl}/record/${finished}`, requests },
    { name: 'list of 20,000', ...list, bare: bareFile(listAnswer), requests: fewer * 4 },
    { name: 'list of 20,000 as gzip', ...list, how: packed, bare: bareFile(`${listAnswer}.gz`), requests: fewer * 4 },
    {
      name: 'file of 100 MB',
      ours: restUrl + link.pathname + link.search,
      bare: bareFile(join(dataDir, 'files', key.recordId, key.name)),
      requests: fewer,
    },
  ];
}

/** IDs of videos hardly compress. */
function aVideo(index: number): object {
  const id = createHash('sha256').update(String(index)).digest('base64url').slice(0, 11);
  return wholeVideo({
    vidnet_id: id,
    title: `How long should tea of number ${String(index)} brew, and why?`,
    thumbnail: `https://i.ytimg.com/vi/${id}/hqdefault.jpg`,
    published_at: new Date(Date.UTC(2026, 0, 1) - index * 40_000_000).toISOString().slice(0, 19).replace('T', ' '),
    duration: (index * 7_919) % 3_600,
  });
}
