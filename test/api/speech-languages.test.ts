import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { aLabelsJob, keepAudio, keepLabels } from '../helpers/kept-audio.ts';
import { keepJob } from '../helpers/jobs.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

const request = (id: string, more: object = {}) =>
  facades.post('/api/transcriptspeakerid', JSON.stringify({ transcript_with_speaker_id: id, ...more }));

describe('a request for speaker labels in a language', () => {
  const message = 'The speech engine does not support the language de; it supports en.';
  const mockLanguages = (languages?: string[]) =>
    vi.spyOn(facades.deps.speechLanguages, 'known').mockResolvedValue(languages);
  afterEach(() => vi.restoreAllMocks());

  it('is refused by its field if the speech engine does not know it, and starts nothing', async () => {
    mockLanguages(['en']);
    const audio = await keepAudio(facades);
    const answer = await request(audio.id, { language: 'de' });
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: `language: ${message}`, code: 'invalid_input', details: [{ path: 'language', message }] },
    ]);
    expect(facades.jobs.start).not.toHaveBeenCalled();
    expect((await request(audio.id, { language: 'en-GB' })).status).toBe(202);
  });

  it('is not refused if only the engine knows its languages', async () => {
    mockLanguages();
    expect((await request((await keepAudio(facades)).id, { language: 'de' })).status).toBe(202);
  });

  it('is answered with the stored transcript, whatever the current engine is', async () => {
    mockLanguages(['en']);
    const audio = await keepAudio(facades);
    await keepLabels(facades, aLabelsJob(audio, { language: 'de' }));
    expect((await request(audio.id, { language: 'de' })).status).toBe(200);
    const other = await keepAudio(facades);
    await keepJob(facades.deps.records, aLabelsJob(other, { language: 'de' }), {
      status: 'failed',
      failure: { code: 'unsupported', message: 'The engine knows English only.' },
    });
    expect((await request(other.id, { language: 'de' })).status).toBe(400);
  });
});
