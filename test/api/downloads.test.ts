import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { downloadListSchema, downloadResultSchema, type DownloadList } from '../../contract/kinds/kinds.ts';
import { WITHOUT_KEY } from '../../contract/http/webhook-delivery.ts';
import { aTranscriptJob, keepJob, anAudioJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => {
  for (const fake of Object.values(facades.jobs)) fake.mockClear();
});

const failed = { status: 'failed', failure: { code: 'private', message: 'The video is private.' } } as const;
const list = async (query = ''): Promise<DownloadList> =>
  downloadListSchema.parse(await (await fetch(`${facades.url}/api/downloads${query}`)).json());
const idsOf = ({ downloads }: DownloadList): string[] => downloads.map(({ id }) => id);

describe('the list of downloads', () => {
  it('is filtered and paged, newest first', async () => {
    const { records } = facades.deps;
    const jobs = [];
    for (let minute = 0; minute < 6; minute += 1) {
      const createdAt = `2026-11-20T10:0${String(minute)}:00.000000Z`;
      const job = minute % 2 === 0 ? anAudioJob({ createdAt }) : aTranscriptJob({ createdAt });
      // IDs contain their time, as in production.
      const recordId = `01JD5Z3K6VQ0W8R9T2X4Y6B8C${String(minute)}`;
      jobs.push(await keepJob(records, { ...job, recordId }, minute < 2 ? failed : undefined));
    }
    const newestFirst = jobs.map(({ id }) => id).toReversed();

    expect(idsOf(await list())).toEqual(newestFirst);
    const first = await list('?limit=4');
    expect([idsOf(first), first.next_cursor]).toEqual([newestFirst.slice(0, 4), newestFirst[3]]);
    const second = await list(`?limit=4&cursor=${first.next_cursor!}`);
    expect([idsOf(second), second.next_cursor]).toEqual([newestFirst.slice(4), null]);

    expect(idsOf(await list('?type=captions'))).toEqual(newestFirst.filter((_, index) => index % 2 === 0));
    expect(idsOf(await list('?status=failed'))).toEqual(newestFirst.slice(4));
    expect(idsOf(await list(`?media_id=${jobs[3]!.mediaId}`))).toEqual([jobs[3]!.id]);
    const window = '?created_after=2026-11-20T10:01:00Z&created_before=2026-11-20T11:03:00%2B01:00';
    expect(idsOf(await list(window))).toEqual([jobs[2]!.id, jobs[1]!.id]);
    const utc = '?created_after=2026-11-20T10:01:00Z&created_before=2026-11-20T10:03:00.000Z';
    expect(idsOf(await list(utc))).toEqual([jobs[2]!.id, jobs[1]!.id]);
    expect(await facades.rpc.downloads.list.query({ type: 'captions', limit: 1 })).toEqual(
      await list('?type=captions&limit=1'),
    );
  });

  it('compares times in microseconds', async () => {
    const { mediaId } = anAudioJob();
    const times = ['100', '250', '300'].map((microseconds) => `2026-11-19T10:00:00.123${microseconds}Z`);
    const jobs = [];
    for (const createdAt of times) jobs.push(await keepJob(facades.deps.records, anAudioJob({ mediaId, createdAt })));
    const [before, at] = jobs.map(({ id }) => id);
    expect(idsOf(await list(`?media_id=${mediaId}&created_before=${times[1]!}`))).toEqual([before]);
    const window = `created_after=${times[1]!}&created_before=${times[2]!}`;
    expect(idsOf(await list(`?media_id=${mediaId}&${window}`))).toEqual([at]);
  });

  it.each(['?type=song', '?status=done', '?limit=0', '?limit=201', '?limit=x', '?cursor=x', '?created_after=today'])(
    'refuses %s, naming the parameter',
    async (query) => {
      const response = await fetch(`${facades.url}/api/downloads${query}`);
      const body = (await response.json()) as { details: { path: string }[] };
      expect([response.status, body.details[0]?.path]).toEqual([400, query.slice(1).split('=')[0]]);
    },
  );
});

describe('a download whose files were removed', () => {
  it.each(['audio', 'vidnet_video', 'imgnet_audio'] as const)(
    'of type %s has no link and reports the removal',
    async (type) => {
      const { records } = facades.deps;
      const job = anAudioJob({ type });
      const files = [{ name: 'a.m4a', sizeBytes: 1, sha256: 'x' }];
      await keepJob(records, job, { status: 'success', result: { durationSeconds: 60, files } });
      const get = async () => {
        const response = await fetch(`${facades.url}/downloads/${job.recordId}`);
        return { status: response.status, ...downloadResultSchema.parse(await response.json()) };
      };
      const before = await get();
      expect(before.data.file_urls).toEqual([expect.any(String)]);
      expect(before.data).not.toHaveProperty('files_removed_at');

      const removedAt = '2026-12-21T09:30:00.123456Z';
      await records.noteFilesRemoved(job.recordId, removedAt);
      await records.noteFilesRemoved(job.recordId, '2026-12-22T09:30:00.123456Z');
      const { status, data } = await get();
      const links = { audio_url: null, file_urls: null };
      expect([status, data]).toEqual([200, { ...before.data, files_removed_at: removedAt, ...links }]);
      expect(data).toMatchObject({ status: 'success', cost: '0.005' });
    },
  );
});

describe('a cancelled download', () => {
  const cancel = async (id: string) => {
    const response = await fetch(`${facades.url}/downloads/${id}`, { method: 'DELETE' });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('is returned after its end', async () => {
    const job = anAudioJob({ startedBy: WITHOUT_KEY });
    await keepJob(facades.deps.records, job);
    facades.jobs.waitFor.mockImplementationOnce(async () => {
      await keepJob(facades.deps.records, job, {
        status: 'failed',
        failure: { code: 'cancelled', message: 'The job was cancelled.' },
      });
    });
    const { status, body } = await cancel(job.recordId);
    expect(facades.jobs.cancel).toHaveBeenCalledWith({ subjectId: job.subjectId, recordId: job.recordId });
    expect([status, downloadResultSchema.parse(body).data]).toMatchObject([200, { status: 'failed', cost: '0.000' }]);
  });

  it('is pending if it has not stopped yet', async () => {
    const job = anAudioJob({ startedBy: WITHOUT_KEY });
    await keepJob(facades.deps.records, job);
    expect(await cancel(job.recordId)).toMatchObject({ status: 202, body: { data: { status: 'pending' } } });
  });

  it('stays unchanged if it has ended before', async () => {
    const { id } = await keepJob(facades.deps.records, anAudioJob({ startedBy: WITHOUT_KEY }), failed);
    expect(await cancel(id)).toMatchObject({ status: 409, body: { code: 'already_finished', id } });
    expect(facades.jobs.cancel).not.toHaveBeenCalled();
  });

  it('is returned as ended if it ends during the cancellation', async () => {
    const job = anAudioJob({ startedBy: WITHOUT_KEY });
    await keepJob(facades.deps.records, job);
    facades.jobs.cancel.mockImplementationOnce(async () => {
      await keepJob(facades.deps.records, job, failed);
      return false;
    });
    facades.jobs.status.mockResolvedValueOnce({ state: 'gone' });
    expect((await cancel(job.recordId)).status).toBe(409);
  });

  it('is not found if its ID is unknown', async () => {
    expect((await cancel('01JD5Z3K6VQ0W8R9T2X4Y6B8CD')).status).toBe(404);
  });
});
