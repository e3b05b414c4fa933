import fc from 'fast-check';
import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { activityInputs } from '../activities/create-activities.ts';
import { inputErrorOf } from '../runtime/inputs/check-input.ts';
import { jobInputs } from '../contract/kinds/job-inputs.ts';
import { isKnownSignal } from '../workflows/lifecycle/messages.ts';
import { kindSamples } from './helpers/kind-samples.ts';
import { aTranscriptJob, anAudioJob } from './helpers/jobs.ts';

const recordId = ulid();
const url = 'https://example.com/hook';
const post = { shortcode: 'DAbCdEfGhIj', kind: 'post' };
const snapshot = { recordId, part: 'content-1', snapshotId: 's_m1a2b3' };
const labels = { audioId: recordId, language: 'en', minSpeakers: 1, maxSpeakers: 3 };
const anImgnetJob = (type: string, mediaId: string, parameters?: object) => ({
  ...anAudioJob(),
  ...{ type, mediaId, subjectId: `${type}/${mediaId}`, ...(parameters === undefined ? {} : { parameters }) },
});
const content = { ...anImgnetJob('imgnet_post', post.shortcode, { post, profilePrice: 10 }), price: 15 };
const channel = { kind: 'handle', name: 'evening-talks' };
const aChannelJob = (name: string) => anImgnetJob('list', `@${name}`, { channel: { ...channel, name } });
const labelsJob = anImgnetJob('speaker_labels', 'kX3vQ9mTz0A', labels);
const delivery = { deliveryId: `webhook/${recordId}/1`, recordId, url };
const audio = { recordId, mediaId: 'kX3vQ9mTz0A' };

describe('a workflow accepts', () => {
  it.each<[keyof typeof jobInputs, object]>([
    ['audio', anAudioJob({ webhookUrl: url, chargedTo: '0123456789abcdef', startedBy: '0123456789abcdef' })],
    ...kindSamples.map(({ workflow, job }): [keyof typeof jobInputs, object] => [workflow, job]),
    ['transcript', aTranscriptJob()],
    ['channel', aChannelJob('evening-talks')],
    ['channel', aChannelJob('évening·tälks_話')],
    ['imgnetProfile', anImgnetJob('imgnet_profile', 'tea.time')],
    ['imgnetProfile', anImgnetJob('imgnet_profile', 'tea', { paidBy: recordId })],
    ['imgnetContent', content],
    ['imgnetList', anImgnetJob('imgnet_list_posts', 'tea', { part: 'posts', sinceDate: '2026-01-31', postsCount: 0 })],
    ['imgnetAudio', anImgnetJob('imgnet_audio', post.shortcode, { post })],
    ['speakerLabels', labelsJob],
    // What a newer version adds passes through an older worker.
    ['audio', { ...anAudioJob(), addedLater: true }],
  ])('%s: %o', (workflow, input) => {
    expect(inputErrorOf(jobInputs, workflow, [input])).toBeUndefined();
  });
});

describe('a workflow rejects, naming the field,', () => {
  it.each<[keyof typeof jobInputs, unknown, string]>([
    ['audio', { ...anAudioJob(), recordId: '../../etc' }, 'recordId'],
    ['audio', { ...anAudioJob(), mediaId: '../secret' }, 'mediaId'],
    ['audio', { ...anAudioJob(), subjectId: '' }, 'subjectId'],
    ['audio', { ...anAudioJob(), chargedTo: 'a.b/$c' }, 'chargedTo'],
    ['video', { ...anAudioJob(), type: 'vidnet_video', price: -5 }, 'price'],
    ['video', { ...anAudioJob(), type: 'vidnet_video', webhookUrl: 'file:///etc/passwd' }, 'webhookUrl'],
    [
      'transcript',
      { ...aTranscriptJob(), parameters: { language: '../x', includeComments: false } },
      'parameters.language',
    ],
    ['channel', anImgnetJob('list', '@a', { channel: { kind: 'custom', name: '..' } }), 'parameters.channel.name'],
    ['channel', anImgnetJob('list', '@a', { channel: { kind: 'id', name: 'a/../b' } }), 'parameters.channel.name'],
    ['imgnetProfile', anImgnetJob('imgnet_profile', '../x'), 'mediaId'],
    ['imgnetContent', { ...content, price: 5 }, 'parameters.profilePrice'],
    ['imgnetList', anImgnetJob('imgnet_list_posts', 'tea', { part: 'videos' }), 'parameters.part'],
    ['imgnetList', anImgnetJob('imgnet_list_posts', 'tea', { part: 'posts', since: 'monday' }), 'parameters.since'],
    ['imgnetList', anImgnetJob('imgnet_list_posts', 'tea', { part: 'posts', otherId: '../x' }), 'parameters.otherId'],
    ['imgnetAudio', anImgnetJob('imgnet_audio', '..', { post }), 'mediaId'],
    ['speakerLabels', { ...labelsJob, parameters: { ...labels, audioId: '..' } }, 'parameters.audioId'],
    ['audio', null, 'argument 1'],
  ])('%s: %o', (workflow, input, field) => {
    expect(inputErrorOf(jobInputs, workflow, [input])).toContain(` ${field}: `);
  });

  it.each(Object.keys(jobInputs))('%s: nothing, a text, a list', (workflow) => {
    for (const args of [[], ['x'], [[]], [{}]]) expect(inputErrorOf(jobInputs, workflow, args)).toContain(workflow);
  });
});

describe('a signal', () => {
  it.each<[string, unknown[], boolean]>([
    ['subscribe', [url], true],
    ['subscribe', [url, '0123456789abcdef'], true],
    ['subscribe', ['hook'], false],
    ['subscribe', ['javascript:alert(1)'], false],
    ['subscribe', [{}], false],
    ['subscribe', [url, 'a.b/$c'], false],
    ['subscribe', [url, 'key', 'more'], false],
    ['subscribe', [`https://example.com/${'x'.repeat(10_000)}`], false],
    ['resume', [], true],
    ['resume', [url], false],
    ['unknown', [], false],
    ['constructor', [], false],
  ])('%s %j is good: %s', (signal, args, isGood) => {
    expect(isKnownSignal(signal, args)).toBe(isGood);
  });
});

/** Of each activity, what it is asked for in earnest. */
type Sampled = (typeof kindSamples)[number]['activity'];
const ORDERS: { readonly [Name in keyof typeof activityInputs]: unknown } = {
  ...(Object.fromEntries(kindSamples.map(({ activity, order }) => [activity, order])) as Record<Sampled, object>),
  acceptNexusRequest: { recordId, request: { operation: 'requestAudio', vidnet_video_id: audio.mediaId } },
  advanceBatch: { batchId: recordId, mode: 'start', isThorough: false },
  attemptDelivery: { ...delivery, attempt: 1, isLast: false },
  awaitAudio: { recordId, audioId: recordId },
  awaitNexusRecord: recordId,
  awaitOtherListing: 'list/@evening-talks',
  awaitOwnerProfile: 'imgnet_profile/tea',
  beginBatch: { batchId: recordId, isRetry: true },
  beginCheck: { subscriptionId: recordId },
  beginJob: anAudioJob(),
  closeCheck: { subscriptionId: recordId },
  endCheck: { subscriptionId: recordId, failure: { code: 'removed', message: 'Gone.' } },
  findNewEntries: { subscriptionId: recordId },
  cancelNexusJob: recordId,
  clearSpeech: recordId,
  collectSnapshot: { recordId, part: 'posts', request: { kind: 'posts', account: 'tea' } },
  discardUpload: recordId,
  describeChannel: { recordId, subjectId: 'list/@evening-talks', channel },
  fetchAudio: audio,
  fetchComments: audio,
  fetchImgnetAudio: { recordId, contentsId: recordId, shortcode: post.shortcode },
  fetchImgnetFiles: { recordId, contentsId: recordId, shortcode: post.shortcode },
  awaitSpeech: { recordId: audio.recordId, speechId: audio.recordId },
  beginSpeech: audio.recordId,
  fetchTranscript: { ...audio, language: 'pt-BR' },
  findFreshContent: post.shortcode,
  finishJob: {
    recordId,
    price: 10,
    outcome: { status: 'success', result: { lists: { videos: { pieces: 1, items: 2 } } } },
  },
  hasFetchedProfile: recordId,
  ingestUpload: { recordId, mediaId: recordId, title: 'talk.wav', contentType: 'audio/wav' },
  labelSpeakers: { recordId, ...labels, windows: 1, durationSeconds: 12.5, engine: 'sherpa', engineKey: 'sherpa' },
  leaveAudio: recordId,
  listBatch: { batchId: recordId },
  listChannel: { recordId },
  refusalOf: { route: 'vidnet' },
  setBatchStatus: { batchId: recordId, status: 'paused', pause: 'max_cost' },
  planOwnerProfile: { account: 'tea', paidBy: recordId, version: 1 },
  prepareSpeech: { recordId, ...labels },
  storeContent: { snapshot: { ...snapshot, isEmpty: false }, post },
  storeList: {
    ...{ snapshot: { ...snapshot, isEmpty: false }, account: 'tea', part: 'reels' },
    ...{ sinceDate: '2026-01-31', since: '2026-01-31T23:59:30.250Z' },
  },
  storeProfile: { snapshot: { ...snapshot, isEmpty: true }, account: 'tea' },
  sweepFiles: { retentionDays: 30, after: recordId },
  sweepKept: { kind: 'contents', days: 30, after: recordId, confirmedBy: 'the operator' },
  sweepLeftovers: undefined,
  transcribeWindow: { recordId, ...labels, number: 1, engine: 'sherpa', engineKey: 'sherpa' },
};
const argsOf = (order: unknown): unknown[] => (order === undefined ? [] : [order]);

/** What leads out of a folder, a URL or a field when it is put into one. */
const hostile = fc.oneof(
  fc.constantFrom('..', '.', '', '/etc', 'a/../b', '%2e%2e', '\0', '$x.y', '?a=b#'),
  fc.string().map((tail) => `../${tail}`),
);
/** Fields that become a path, a URL, or the id of a document; others are free texts and numbers. */
const INTO_PATHS = /^(?:recordId|mediaId|audioId|contentsId|shortcode|snapshotId|part|account|paidBy|name|language)$/;

describe('an activity', () => {
  it.each(Object.entries(ORDERS))('%s does what it is asked for in earnest', (activity, order) => {
    expect(inputErrorOf(activityInputs, activity, argsOf(order))).toBeUndefined();
  });

  it.each(Object.entries(ORDERS))('%s refuses what leads out of a path', (activity, order) => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const poisoned of poisonings(order, text)) {
          expect([poisoned, inputErrorOf(activityInputs, activity, [poisoned])]).not.toEqual([poisoned, undefined]);
        }
      }),
      { numRuns: 50 },
    );
  });

  it.each<[keyof typeof activityInputs, object, string]>([
    ['attemptDelivery', { url: 'ftp://example.com' }, 'url'],
    ['attemptDelivery', { deliveryId: `${recordId}/1` }, 'deliveryId'],
    ['attemptDelivery', { firstAttempt: '1' }, 'firstAttempt'],
    ['attemptDelivery', { attempt: '11' }, 'attempt'],
    ['sweepFiles', { retentionDays: -1 }, 'retentionDays'],
    ['sweepFiles', { retentionDays: 0, confirmedBy: 'me' }, 'retentionDays'],
    ['sweepFiles', { retentionDays: 0.5 }, 'retentionDays'],
    ['sweepFiles', { confirmedBy: ' ' }, 'confirmedBy'],
    ['sweepKept', { days: 0 }, 'days'],
    ['sweepKept', { kind: 'records' }, 'kind'],
  ])('%s refuses %o, with the name of the field', (activity, wrong, field) => {
    expect(inputErrorOf(activityInputs, activity, [{ ...(ORDERS[activity] as object), ...wrong }])).toContain(
      ` ${field}: `,
    );
  });

  it('that removes the folder of prepared audio accepts only an ID', () => {
    for (const id of ['', '.', '..', '../..', '/', recordId.toLowerCase(), `${recordId}/..`]) {
      expect(inputErrorOf(activityInputs, 'clearSpeech', [id])).toContain('argument 1: must be a ULID');
    }
  });
});

/** The order once for each of its fields that become paths, with a hostile text in it. */
function poisonings(order: unknown, text: string): unknown[] {
  if (typeof order === 'string') return /^(?:list|imgnet_profile)\//.test(order) ? [] : [text];
  if (typeof order !== 'object' || order === null || Array.isArray(order)) return [];
  return Object.entries(order).flatMap(([name, value]) =>
    (typeof value === 'string' ? (INTO_PATHS.test(name) ? [text] : []) : poisonings(value, text)).map((inner) => ({
      ...order,
      [name]: inner,
    })),
  );
}
