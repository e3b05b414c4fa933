import fc from 'fast-check';
import { ulid } from 'ulid';
import type { JobInput } from '../../contract/job-input.ts';
import { anAudioJob } from './jobs.ts';
import { webPath } from './texts.ts';

const recordId = ulid();
const videoId = fc.string({ unit: fc.constantFrom('a', 'X', '0', '_', '-'), minLength: 11, maxLength: 11 });
const page = { url: 'https://example.com/tea?v=1', format: 'video' } as const;
const seen = { url: 'https://example.com/tea?v=1', subject: 'page' } as const;
const pageId = 'a'.repeat(32);

/** Of kinds whose job is one activity: what tests that go over all kinds ask of them. */
export const kindSamples = [
  {
    workflow: 'video',
    job: { ...anAudioJob(), type: 'vidnet_video' },
    activity: 'fetchVideo',
    order: { recordId, mediaId: 'kX3vQ9mTz0A' },
    rpc: 'downloads.video',
    path: '/api/downloads/video',
    body: { vidnet_video_id: videoId },
  },
  {
    workflow: 'media',
    job: { ...anAudioJob(), type: 'media', mediaId: pageId, parameters: { page, site: 'example.com' } },
    activity: 'fetchMedia',
    order: { recordId, mediaId: pageId, page },
    rpc: 'downloads.media',
    path: '/api/downloads/media',
    body: { url: webPath.map((path) => `https://example.com${path}`), format: fc.constantFrom('audio', 'video') },
  },
  {
    workflow: 'mediaInfo',
    job: { ...anAudioJob(), type: 'media_info', mediaId: pageId, parameters: { page: seen, site: 'example.com' } },
    activity: 'readMediaInfo',
    order: { recordId, mediaId: pageId, page: seen },
    rpc: 'media.info',
    path: '/api/media/info',
    body: { url: webPath.map((path) => `https://example.com${path}`) },
  },
] as const satisfies readonly {
  readonly workflow: string;
  readonly job: JobInput;
  readonly activity: string;
  readonly order: object;
  readonly rpc: string;
  readonly path: string;
  readonly body: Readonly<Record<string, fc.Arbitrary<unknown>>>;
}[];
