import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { downloadResultSchema } from '../../contract/kinds/kinds.ts';
import { keepAudio } from '../helpers/kept-audio.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => void facades.jobs.start.mockClear());

const request = (id: string) =>
  facades.post('/api/transcriptspeakerid', JSON.stringify({ transcript_with_speaker_id: id }));
const dataOf = async (id: string) =>
  downloadResultSchema.parse(await (await fetch(`${facades.url}/downloads/${id}`)).json()).data;

it.each([
  ['vidnet_video', {}],
  ['media', { mediaId: '4e'.repeat(16), parameters: { page: { url: 'https://example.com/a', format: 'video' } } }],
] as const)('transcribes the sound of a kept %s without another download', async (type, more) => {
  const video = await keepAudio(facades, { type, ...more });
  expect(await dataOf(video.id)).toMatchObject({
    transcript_speaker_id: video.id,
    transcript_speaker_cost: '0.012',
    audio_url: null,
  });
  expect(await request(video.id)).toMatchObject({ status: 202, body: { transcript_speaker_id: video.id } });
  const [workflow, job] = facades.jobs.start.mock.calls[0]!;
  expect(workflow).toBe('speakerLabels');
  expect(job).toMatchObject({ price: 12, parameters: { audioId: video.id } });
});

it('does not offer the labels of a video without sound, and answers a request without a job', async () => {
  const video = await keepAudio(facades, { type: 'vidnet_video' }, 'silence');
  expect(await dataOf(video.id)).toMatchObject({ transcript_speaker_id: null, transcript_speaker_cost: null });
  const answer = await request(video.id);
  expect(answer).toMatchObject({ status: 200, body: { status: 'success', transcript_speaker_cost: '0.000' } });
  expect(facades.jobs.start).not.toHaveBeenCalled();
});
