import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobInput } from '../../contract/job-input.ts';
import { pendingRecordOf } from '../../contract/job-input.ts';
import { speakerLabelsSubjectOf } from '../../contract/kinds/subjects.ts';
import { createTimedIds } from '../../store/mongo/timed-ids.ts';
import { removeLimitedContents } from '../../worker/sweeps.ts';
import { anAudioJob, aSpeakerLabelsJob, keepJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

const DAY_MS = 24 * 3_600_000;
let facades: Facades;
let own: { readonly id: string; readonly text: string };
let other: typeof own;
beforeAll(async () => {
  facades = await startFacades();
  const makeKey = async () => {
    const key = await facades.deps.keys.create({ name: 'test', scopes: ['read', 'jobs'] });
    await facades.deps.accounts.open(key.id, undefined);
    return key;
  };
  [own, other] = [await makeKey(), await makeKey()];
});
afterAll(() => facades.close());
const histories = vi.fn<(ids: readonly string[]) => Promise<boolean>>();
beforeEach(() => {
  facades.jobs.start.mockReset().mockResolvedValue('started');
  histories.mockReset().mockResolvedValue(true);
  vi.spyOn(facades.deps.histories, 'remove').mockImplementation(histories);
});

const bearer = ({ text }: typeof own) => ({ authorization: `Bearer ${text}` });
async function remove(id: string, headers: Record<string, string> = bearer(own)) {
  const answer = await fetch(`${facades.url}/api/downloads/${id}/contents`, { method: 'DELETE', headers });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
const startedBy = (caller: typeof own) => ({ startedBy: caller.id, chargedTo: caller.id });
async function anAudio(given: Partial<JobInput> = startedBy(own)) {
  const { records, contents } = { records: facades.deps.records, contents: facades.contents };
  const file = { name: 'a.m4a', sizeBytes: 1, sha256: 'x' };
  const record = await keepJob(records, anAudioJob(given), {
    ...{ status: 'success', result: { files: [file], title: 'A title' } },
  });
  await contents.putFacts(record.id, { title: 'A title' });
  return record;
}
async function labelsOf(
  audio: { readonly id: string; readonly mediaId: string },
  given: Partial<JobInput>,
  ends = true,
) {
  const parameters = { audioId: audio.id };
  const job = { ...aSpeakerLabelsJob(), recordId: ulid(), mediaId: audio.mediaId, parameters, ...given };
  const labels = { ...job, subjectId: speakerLabelsSubjectOf(parameters) };
  const record = await keepJob(facades.deps.records, labels, ends ? { status: 'success', result: {} } : undefined);
  await facades.contents.putFacts(record.id, { segments: [] });
  return record;
}
const contentsLeft = async (id: string): Promise<boolean> => (await facades.contents.facts(id)) !== undefined;

describe('DELETE /api/downloads/{downloadId}/contents', () => {
  it('removes the files, facts and title of a record and the transcripts that were made of it, and keeps the records', async () => {
    const removeFile = vi.spyOn(facades.deps.files, 'remove').mockResolvedValue();
    const audio = await anAudio();
    const labels = await labelsOf(audio, startedBy(own));
    const stranger = await labelsOf({ id: ulid(), mediaId: audio.mediaId }, startedBy(other));
    expect(await remove(audio.id)).toMatchObject({
      ...{ status: 200, body: { data: { id: audio.id, status: 'success', audio_url: null, file_urls: null } } },
    });
    expect(removeFile.mock.calls).toEqual([[{ recordId: audio.id, name: 'a.m4a' }]]);
    expect(histories.mock.calls).toEqual([[[audio.id, labels.id]]]);
    for (const { id } of [audio, labels]) {
      expect(await contentsLeft(id)).toBe(false);
      const kept = await facades.deps.records.get(id);
      expect(kept).toMatchObject({ status: 'success', contentsRemovedAt: expect.any(String) as string });
      expect(kept).not.toHaveProperty('title');
    }
    expect(await contentsLeft(stranger.id)).toBe(true);
    // It may be repeated, and a new request starts a new job.
    expect((await remove(audio.id)).status).toBe(200);
    const again = await facades.post('/api/downloads/audio', JSON.stringify({ vidnet_video_id: audio.mediaId }));
    expect(again.status).toBe(202);
    removeFile.mockRestore();
  });

  it('removes the description of the page that the caller requested, and keeps those of others', async () => {
    vi.spyOn(facades.deps.files, 'remove').mockResolvedValue();
    const audio = await anAudio();
    const infoOf = async (caller: typeof own) => {
      const job = { ...anAudioJob(startedBy(caller)), mediaId: audio.mediaId, type: 'media_info' } as const;
      const { id } = await keepJob(facades.deps.records, job, { status: 'success', result: {} });
      await facades.contents.putFacts(id, { title: 'A title' });
      return id;
    };
    const [mine, theirs] = [await infoOf(own), await infoOf(other)];
    expect((await remove(audio.id)).status).toBe(200);
    expect([await contentsLeft(mine), await contentsLeft(theirs)]).toEqual([false, true]);
  });

  it('finds a transcript of a record about whose video there are a thousand newer records', async () => {
    vi.spyOn(facades.deps.files, 'remove').mockResolvedValue();
    const audio = await anAudio();
    const labels = await labelsOf(audio, startedBy(own));
    const records = facades.db.collection<{ _id: string; parameters: object }>('records');
    const document = (await records.findOne({ _id: labels.id }))!;
    const parameters = { audioId: ulid() };
    const later = Date.now() + 1_000;
    await records.insertMany(
      Array.from({ length: 1_001 }, (_, index) => ({ ...document, _id: ulid(later + index), parameters })),
    );
    expect((await remove(audio.id)).status).toBe(200);
    expect(await contentsLeft(labels.id)).toBe(false);
    expect(histories.mock.calls).toEqual([[[audio.id, labels.id]]]);
  });

  it.each(['another key', 'no key'] as const)('is refused to %s', async (caller) => {
    const { id } = await anAudio();
    expect((await remove(id, caller === 'no key' ? {} : bearer(other))).status).toBe(403);
    expect(await contentsLeft(id)).toBe(true);
  });

  it('keeps what others have requested too, and says so; the operator can remove it', async () => {
    const audio = await anAudio();
    const labels = await labelsOf(audio, { startedBy: 'job' });
    await facades.deps.keyDownloads.note(other.id, labels.id);
    expect(await remove(audio.id)).toMatchObject({
      ...{ status: 409, body: { code: 'contents_in_use', id: labels.id } },
    });
    expect(await contentsLeft(audio.id)).toBe(true);
    expect(histories).not.toHaveBeenCalled();
    await facades.rpc.downloads.removeContents.mutate({ download_id: audio.id });
    expect(await contentsLeft(labels.id)).toBe(false);
  });

  it('removes nothing while a job or a delivery is open', async () => {
    const audio = await anAudio();
    const labels = await labelsOf(audio, startedBy(own), false);
    expect(await remove(audio.id)).toMatchObject({ status: 409, body: { code: 'not_ready', id: labels.id } });
    const { id } = await anAudio();
    histories.mockResolvedValueOnce(false);
    expect(await remove(id)).toMatchObject({ status: 409, body: { code: 'not_ready', id } });
    expect(await contentsLeft(id)).toBe(true);
  });
});

describe('keep_days', () => {
  const sweep = (days: number) => {
    const { deps, db } = facades;
    const removals = createTimedIds(db, 'planned_removals');
    return removeLimitedContents({ ...deps, removals, now: () => Date.now() + days * DAY_MS + 1_000 });
  };
  const limited = async (keepDays: number) => {
    const audio = await anAudio({ ...startedBy(own), order: { keepDays } });
    expect(audio.keepDays).toBe(keepDays);
    return audio;
  };

  it('is part of the job and its record, and refused as 0 without a webhook', async () => {
    const request = { vidnet_video_id: anAudioJob().mediaId, keep_days: 0 };
    const post = (body: object) => facades.post('/api/downloads/audio', JSON.stringify(body));
    expect(await post(request)).toMatchObject({ status: 400, body: { details: [{ path: 'keep_days' }] } });
    expect((await post({ ...request, include_webhook: 'https://example.com/hook' })).status).toBe(202);
    const [, input] = facades.jobs.start.mock.lastCall!;
    expect(input.order).toEqual({ keepDays: 0 });
    expect(await facades.deps.records.get(input.recordId)).toMatchObject({ keepDays: 0 });
    expect(pendingRecordOf({ ...input, order: {} }).keepDays).toBeUndefined();
  });

  it('removes the contents after the days, and not before', async () => {
    vi.spyOn(facades.deps.files, 'remove').mockResolvedValue();
    const { id } = await limited(3);
    const base = Date.parse(((await facades.deps.records.get(id)) as { finishedAt: string }).finishedAt) - Date.now();
    const shift = base / DAY_MS;
    await sweep(shift + 2.9);
    expect(await contentsLeft(id)).toBe(true);
    // Its webhooks are being delivered.
    histories.mockResolvedValueOnce(false);
    await sweep(shift + 3);
    expect(await contentsLeft(id)).toBe(true);
    await sweep(shift + 3);
    expect(await contentsLeft(id)).toBe(false);
    expect(await sweep(shift + 4)).toBe(0);
  });

  it('keeps what others have requested too', async () => {
    const { id } = await limited(0);
    await facades.deps.keyDownloads.note(other.id, id);
    await sweep(1_000);
    expect(await contentsLeft(id)).toBe(true);
    expect(await sweep(1_000)).toBe(0);
  });
});

describe('priority and not_before', () => {
  const post = (body: object) =>
    facades.post('/api/downloads/audio', JSON.stringify({ on_duplicate: 'join', ...body }));

  it('are part of the job', async () => {
    const body = {
      vidnet_video_id: anAudioJob().mediaId,
      priority: 'interactive',
      not_before: '2026-11-01T10:00:00+01:00',
    };
    expect((await post(body)).status).toBe(202);
    const [, { order }] = facades.jobs.start.mock.lastCall!;
    expect(order).toEqual({ priority: 'interactive', notBefore: '2026-11-01T09:00:00.000Z' });
  });

  it.each([{ priority: 'now' }, { not_before: 'soon' }, { not_before: new Date(Date.now() + 31 * DAY_MS) }])(
    'are refused as %j',
    async (wrong) => {
      const [path] = Object.keys(wrong);
      expect(await post({ vidnet_video_id: anAudioJob().mediaId, ...wrong })).toMatchObject({
        ...{ status: 400, body: { code: 'invalid_input', details: [{ path }] } },
      });
    },
  );

  it('let a request that wants the same at once begin the job', async () => {
    const job = anAudioJob({ order: { notBefore: new Date(Date.now() + DAY_MS).toISOString() } });
    const running = { running: job, runId: 'run' };
    facades.jobs.running.mockResolvedValue(running);
    facades.jobs.start.mockResolvedValue(running);
    await keepJob(facades.deps.records, job);
    const body = { vidnet_video_id: job.mediaId };
    expect((await post({ ...body, not_before: new Date(Date.now() + 1_000) })).status).toBe(202);
    expect(facades.jobs.begin).not.toHaveBeenCalled();
    expect((await post(body)).status).toBe(202);
    expect(facades.jobs.begin).toHaveBeenCalledWith({ subjectId: job.subjectId, runId: 'run' });
    facades.jobs.running.mockResolvedValue('closed');
  });
});
