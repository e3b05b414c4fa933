import fc from 'fast-check';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inputErrorOf } from '../../runtime/inputs/check-input.ts';
import { jobInputs } from '../../contract/kinds/job-inputs.ts';
import { recordTypeSchema } from '../../contract/download-record.ts';
import { retentionScheduleId, taskQueues } from '../../runtime/temporal/task-queues.ts';
import { searchAttributesOf } from '../../runtime/temporal/visibility.ts';
import { deliveryIdOf } from '../../contract/http/webhook-delivery.ts';
import { channelSubjectOf } from '../../store/records/channel-subjects.ts';
import { keepAudio } from '../helpers/kept-audio.ts';
import { keepJob, anAudioJob } from '../helpers/jobs.ts';
import { kindSamples } from '../helpers/kind-samples.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

/** The size of the column for Workflow IDs in MySQL and PostgreSQL. */
const MAX = 255;

let facades: Facades;
let audioId: string;
let listId: string;
beforeAll(async () => {
  facades = await startFacades();
  audioId = (await keepAudio(facades)).id;
  const profile = { ...anAudioJob(), type: 'imgnet_profile', mediaId: 'x'.repeat(30) } as const;
  listId = (await keepJob(facades.deps.records, profile, { status: 'success', result: {} })).id;
});
afterAll(() => facades.close());

/** Letters of one to four bytes; two of them become longer in normal form or in lower case. */
const letter = fc.constantFrom('a', 'Z', '7', 'é', 'İ', '話', '𠀀', '𐐨', '\u{FB2C}', '·', '_', '-');
const nameLetter = letter.filter((one) => one !== '·');
const of = (letters: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: letters, minLength: maxLength, maxLength }),
    fc.string({ unit: letters, minLength: 3, maxLength }),
    // The longest name of one letter.
    letters.map((one) => one.repeat(maxLength)),
  );
const ascii = fc.constantFrom('a', 'b', 'X', 'Z', '0', '9', '_');
const videoId = of(ascii, 11).map((text) => text.padEnd(11, '-'));
const language = fc.constantFrom(
  'en',
  'pt-BR',
  'zh-Hant-HK-x-abcdefgh-abcdefgh-abcd',
  'abcdefgh-Latn-001-abcdefgh-abcdefgi',
);
const channelUrl = fc.oneof(
  // A point at the end of a URL is punctuation of the text around it.
  of(letter, 60)
    .filter((name) => !name.endsWith('·'))
    .map((name) => `https://www.youtube.com/@${encodeURIComponent(name)}/videos?x=${'y'.repeat(300)}`),
  of(letter, 60).map((name) => `@${name}`),
  fc
    .tuple(fc.constantFrom('c', 'user'), of(nameLetter, 100))
    .map(([kind, name]) => `youtube.com/${kind}/${encodeURIComponent(name)}`),
);
const postUrl = fc
  .tuple(fc.constantFrom('p', 'reel'), of(ascii, 64))
  .map(([kind, code]) => `https://www.instagram.com/${kind}/${code}/`);
const webhook = fc.option(fc.constant(`https://example.com/${'w'.repeat(2000)}`), { nil: undefined });
const about = (path: string, body: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ path: fc.constant(path), body: fc.record({ ...body, include_webhook: webhook }) });

const request = fc.oneof(
  about('/api/downloads/audio', { vidnet_video_id: videoId }),
  ...kindSamples.map(({ path, body }) => about(path, body)),
  about('/api/transcripts', { vidnet_video_id: videoId, language, include_comments: fc.boolean() }),
  { arbitrary: about('/api/channel/profile', { url: channelUrl }), weight: 6 },
  about('/api/imgnet/profile', { url: of(ascii, 30).map((name) => `@${name}`) }),
  about('/api/imgnet/content', { url: postUrl }),
  about('/api/imgnet/audio', { url: postUrl }),
  about('/api/imgnet/list', {
    list_id: fc.constant(null).map(() => listId),
    max_age_days: fc.option(fc.integer({ min: 0, max: 999_999 }), { nil: undefined }),
  }),
  about('/api/transcriptspeakerid', {
    transcript_with_speaker_id: fc.constant(null).map(() => audioId),
    speakers: fc.constantFrom(undefined, { exact: 20 }, { min: 20, max: 20 }),
    language,
  }),
);

describe('every job that a valid request can start', () => {
  it('has an ID and search attributes within the limits of any server, and valid input', async () => {
    const kinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(request, async ({ path, body }) => {
        facades.jobs.start.mockClear();
        const answer = await fetch(facades.url + path, {
          method: 'POST',
          headers: { prefer: 'wait=0' },
          body: JSON.stringify(body),
        });
        expect([path, body, answer.status]).toEqual([path, body, 202]);
        for (const [workflow, job] of facades.jobs.start.mock.calls) {
          kinds.add(job.type);
          expect(Buffer.byteLength(job.subjectId)).toBeLessThanOrEqual(MAX);
          for (const { value } of searchAttributesOf(job))
            expect(Array.from(String(value)).length).toBeLessThanOrEqual(MAX);
          expect(inputErrorOf(jobInputs, workflow, [JSON.parse(JSON.stringify(job))])).toBeUndefined();
        }
      }),
      { numRuns: 150 },
    );
    // An upload is a request of another protocol.
    expect(kinds).toEqual(new Set(recordTypeSchema.exclude(['upload']).options));
  }, 120_000);
});

const byName = (name: string): string => channelSubjectOf({ kind: 'user', name });

describe('the ID of a channel as a subject', () => {
  it('is its name if that is short enough, and otherwise a unique ID that begins with it', () => {
    fc.assert(
      fc.property(of(letter, 130), letter, letter, (head, one, other) => {
        const id = byName(head + one);
        const plain = `list/user/${head}${one}`;
        if (Buffer.byteLength(plain) <= MAX) expect(id).toBe(plain);
        else expect(id).toMatch(/^list\/user\/.+~[0-9a-f]{64}$/u);
        expect(Buffer.byteLength(id)).toBeLessThanOrEqual(MAX);
        expect(Buffer.from(id).toString()).toBe(id);
        expect(id === byName(head + other)).toBe(one === other);
      }),
      { numRuns: 500 },
    );
  });

  it('does not change, whether or not it exceeds 255 bytes', () => {
    const name = 'x'.repeat(MAX - 'list/user/'.length);
    expect(byName(name)).toBe(`list/user/${name}`);
    expect(byName(`${name}x`)).toBe(
      `list/user/${'x'.repeat(MAX - 75)}~c5ef02ed578e47674d38ae463461a62f1add4962520293b1f222fd4e17c9847a`,
    );
  });
});

describe('other IDs', () => {
  it('are short enough with the longest allowed name of a task queue', () => {
    const queue = 'q'.repeat(100);
    const scheduledRun = `${retentionScheduleId(queue)}-2026-11-22T09:30:00Z`;
    const queues = Object.values(taskQueues).map((nameOf) => nameOf(queue, 'vidnet-data-api'));
    for (const id of [deliveryIdOf(ulid(), 999_999), scheduledRun, ...queues]) {
      expect(id.length).toBeLessThanOrEqual(MAX);
    }
  });
});
