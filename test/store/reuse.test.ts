import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PublishedFile, RecordType, SuccessRecord } from '../../contract/download-record.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import type { FileStore } from '../../store/files/file-store.ts';
import { isReusable } from '../../store/records/is-reusable.ts';

const HOUR_SECONDS = 3600;
/** The values that docs/ promises to callers. */
const FRESH_SECONDS = {
  audio: 'files',
  vidnet_video: 'files',
  imgnet_audio: 'files',
  media: 'files',
  speaker_labels: 'files',
  list: HOUR_SECONDS,
  imgnet_profile: HOUR_SECONDS,
  imgnet_post: HOUR_SECONDS,
  imgnet_list_posts: HOUR_SECONDS,
  imgnet_list_reels: HOUR_SECONDS,
  captions: 24 * HOUR_SECONDS,
  media_info: 600,
  upload: 'files',
} as const satisfies Record<RecordType, number | 'files'>;
const kinds = Object.entries(FRESH_SECONDS) as [RecordType, number | 'files'][];
const FINISHED_MS = Date.UTC(2026, 10, 21, 9, 31);
const YEARS_SECONDS = 10 * 365 * 24 * HOUR_SECONDS;

let folder: string;
let files: FileStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-reuse-'));
  files = createDiskFiles(join(folder, 'files'));
  await writeFile(join(folder, 'a.m4a'), 'media');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const aSuccess = (type: RecordType, id: string, published: readonly PublishedFile[] = []): SuccessRecord => ({
  ...{ id, type, subjectId: `${type}/tea`, mediaId: 'tea', createdAt: '2026-11-21T09:30:00.123456Z', price: 5 },
  ...{
    startedBy: 'anonymous',
    status: 'success',
    finishedAt: '2026-11-21T09:31:00.000000Z',
    charge: 5,
    files: published,
  },
});
/** Whether it answers a request that comes some seconds after its end. */
const answersAfter = (record: SuccessRecord, seconds: number): Promise<boolean> =>
  isReusable(record, files, FINISHED_MS + seconds * 1000);

describe('a record that has ended', () => {
  it.each(kinds.filter(([, fresh]) => fresh !== 'files') as [RecordType, number][])(
    'answers requests of kind %s for %i s',
    async (type, fresh) => {
      const record = aSuccess(type, ulid());
      expect(await answersAfter(record, 0)).toBe(true);
      expect(await answersAfter(record, fresh - 1)).toBe(true);
      expect(await answersAfter(record, fresh)).toBe(false);
      expect(await answersAfter(record, fresh + 1)).toBe(false);
    },
  );

  it.each(kinds.filter(([, fresh]) => fresh === 'files').map(([type]) => type))(
    'answers requests of kind %s while all its files are kept',
    async (type) => {
      const id = ulid();
      const file = await files.publish(join(folder, 'a.m4a'), { recordId: id, name: 'a.m4a' }, never());
      await writeFile(join(folder, 'a.m4a'), 'media');
      const kept = aSuccess(type, id, [file]);
      expect(await answersAfter(kept, YEARS_SECONDS)).toBe(true);
      expect(await answersAfter({ ...kept, files: [file, { ...file, name: 'b.m4a' }] }, 1)).toBe(false);
      expect(await answersAfter({ ...kept, filesRemovedAt: '2026-12-21T09:31:00.000000Z' }, 1)).toBe(false);
    },
  );

  it('answers no requests when it failed or is pending', async () => {
    const { status: _status, finishedAt, charge: _charge, files: _files, ...base } = aSuccess('captions', ulid());
    const failure = { code: 'private', message: 'It is private.' } as const;
    expect(await isReusable({ ...base, status: 'failed', finishedAt, failure }, files, FINISHED_MS)).toBe(false);
    expect(await isReusable({ ...base, status: 'pending' }, files, FINISHED_MS)).toBe(false);
  });
});

function never(): AbortSignal {
  return new AbortController().signal;
}
