import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createSponsorBlock } from '../../sources/vidnet/sponsorblock.ts';
import { RecordedSite } from '../helpers/recorded-site.ts';

const VIDEO_ID = 'k3fP0aTz9Qw';
const PATH = `/api/skipSegments/${createHash('sha256').update(VIDEO_ID).digest('hex').slice(0, 4)}`;
const signal = new AbortController().signal;

let site: RecordedSite;
beforeAll(async () => {
  site = await RecordedSite.start();
});
afterAll(() => site.stop());
beforeEach(() => void site.requests.splice(0));

const segments = (categories = ['sponsor']) =>
  createSponsorBlock({ rootUrl: `${site.url}/` }).segments(VIDEO_ID, categories, signal);
const reported = (category: string, start: number, end: number) => ({ category, segment: [start, end], UUID: 'x' });

it('reads the requested segments of the video, of which the API learns the beginning of a hash only', async () => {
  const own = [reported('sponsor', 1.5, 9), reported('intro', 0, 1), reported('sponsor', 5, 5)];
  const body = [
    { videoID: 'another-one', segments: [reported('sponsor', 20, 30)] },
    { videoID: VIDEO_ID, segments: own },
  ];
  site.set(PATH, { body });
  expect(await segments()).toEqual([{ category: 'sponsor', start: 1.5, end: 9 }]);
  expect(site.requests).toEqual([PATH]);
});

it('has no segments if the API knows none', async () => {
  site.set(PATH, { status: 404, body: 'Not Found' });
  expect(await segments()).toEqual([]);
});

it.each([
  ['an error', { status: 500, body: '' }],
  ['no JSON', { body: '<html>' }],
  ['another form', { body: { segments: [] } }],
])('rejects %s', async (_what, page) => {
  site.set(PATH, page);
  await expect(segments()).rejects.toThrow();
});
