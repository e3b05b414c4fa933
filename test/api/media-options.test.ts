import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

const PAGE = { url: 'https://media.example/talk', format: 'video' };
const AUDIO = { ...PAGE, format: 'audio' };
const VIDEO = { ...PAGE, url: 'https://www.youtube.com/watch?v=kX3vQ9mTz0A' };

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => void vi.clearAllMocks());

const request = (body: object) => facades.post('/api/downloads/media', JSON.stringify(body));

describe('the options of a page’s media', () => {
  it.each([
    [{ ...PAGE, container: 'mp3' }, 'container'],
    [{ ...AUDIO, container: 'webm' }, 'container'],
    [{ ...PAGE, container: 'avi' }, 'container'],
    [{ ...PAGE, container: 'webm', section: { from: 1, exact: true } }, 'section.exact'],
    [{ ...AUDIO, max_height: 720 }, 'max_height'],
    [{ ...PAGE, max_height: 1 }, 'max_height'],
    [{ ...AUDIO, codec: 'av1' }, 'codec'],
    [{ ...PAGE, container: 'webm', codec: 'h264' }, 'codec'],
    [{ ...AUDIO, container: 'flac', bit_rate: 96 }, 'bit_rate'],
    [{ ...AUDIO, sound_language: 'not a language' }, 'sound_language'],
    [{ ...PAGE, section: {} }, 'section'],
    [{ ...PAGE, section: { from: 3, to: 2 } }, 'section.to'],
    [{ ...PAGE, section: { from: 3, chapter: 'One' } }, 'section'],
    [{ ...PAGE, section: { from: '1:75' } }, 'section.from'],
    [{ ...AUDIO, embed: ['captions'] }, 'embed'],
    [{ ...AUDIO, container: 'wav', embed: ['cover'] }, 'embed'],
    [{ ...VIDEO, sponsorblock: {} }, 'sponsorblock'],
    [{ ...VIDEO, sponsorblock: { mark: ['advert'] } }, 'sponsorblock.mark.0'],
    [{ ...VIDEO, sponsorblock: { mark: ['sponsor'], remove: ['sponsor'] } }, 'sponsorblock.mark'],
    [{ ...PAGE, sponsorblock: { mark: ['sponsor'] } }, 'sponsorblock'],
    [{ ...PAGE, file_name: '{titel}' }, 'file_name'],
  ])('are refused with the field, and nothing is started: %j', async (body, path) => {
    expect(await request(body)).toMatchObject({ status: 400, body: { code: 'invalid_input', details: [{ path }] } });
    expect(facades.jobs.start).not.toHaveBeenCalled();
  });

  it.each([
    [PAGE, { ...PAGE, container: 'mp4', sound_language: 'original', embed: [] }],
    [
      { ...PAGE, section: { from: '1:05', to: 90 } },
      { ...PAGE, section: { to: '0:01:30', from: 65, exact: false } },
    ],
    [
      { ...PAGE, embed: ['tags', 'cover'] },
      { ...PAGE, embed: ['cover', 'tags', 'cover'] },
    ],
  ])('that mean the same are one job: %j and %j', async (one, same) => {
    expect((await request(one)).status).toBe(202);
    expect((await request(same)).status).toBe(202);
    const subjects = facades.jobs.start.mock.calls.map(([, { subjectId }]) => subjectId);
    expect(new Set(subjects).size).toBe(1);
  });

  it('that differ are jobs of their own', async () => {
    const choices = [{}, { max_height: 720 }, { embed: ['tags'] }, { section: { from: 1 } }, { file_name: '{title}' }];
    for (const choice of choices) expect((await request({ ...PAGE, ...choice })).status).toBe(202);
    expect(new Set(facades.jobs.start.mock.calls.map(([, { subjectId }]) => subjectId)).size).toBe(choices.length);
  });
});
