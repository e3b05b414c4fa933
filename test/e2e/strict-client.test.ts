import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imgnetIndex, postUrl } from '../helpers/imgnet.ts';
import { TestService, type Answered } from '../helpers/service.ts';
import * as specified from '../helpers/specification.ts';
import { until } from '../helpers/until.ts';

type Json = Readonly<Record<string, unknown>>;
let service: TestService;
const begun = new Date().toISOString();
/** Answers by what they are. */
const answers = new Map<string, Answered<Json>>();

beforeAll(async () => {
  service = await TestService.shared();
  await Promise.all([media(), channels(), transcripts(), photos()]);
}, 240_000);
afterAll(async () => {
  await service.stop();
});

const post = (path: string, body: object, wait = 0): Promise<Answered<Json>> =>
  service.request('POST', path, { body, headers: { prefer: `wait=${String(wait)}` } });
const keep = async (name: string, asked: Promise<Answered<Json>>): Promise<Json> => {
  const answer = await asked;
  answers.set(name, answer);
  return answer.body;
};
/** Asks until the job has ended. */
const end = (name: string, ask: () => Promise<Answered<Json>>): Promise<Json> =>
  keep(
    name,
    until(
      async () => {
        const answer = await ask();
        return answer.status === 202 ? undefined : answer;
      },
      { within: 120_000, what: name },
    ),
  );
const idOf = ({ data }: Json): string => (data as { id: string }).id;
const download = (id: string): Promise<Answered<Json>> => service.request('GET', `/downloads/${id}`);

/** Asks for what is pending first, and then until it has ended. */
async function both(name: string, path: string, body: object): Promise<Json> {
  await keep(`${name} pending`, post(path, body));
  return end(name, () => post(path, body, 30));
}

async function media(): Promise<void> {
  const video = (kind: string): object => ({ vidnet_video_id: service.videoId(kind) });
  const labels = (id: string, more: object = {}): object => ({ transcript_with_speaker_id: id, ...more });
  const spoken = async (): Promise<void> => {
    const id = idOf(await keep('audio pending', post('/api/downloads/audio', video('ordinary'))));
    await keep('audio again', post('/api/downloads/audio', video('ordinary')));
    await keep('labels too early', post('/api/transcriptspeakerid', labels(id)));
    await end('audio', () => download(id));
    const cancelled = await keep(
      'labels failed pending',
      post('/api/transcriptspeakerid', labels(id, { language: 'en' })),
    );
    await service.request('DELETE', `/downloads/${String(cancelled['download_id'])}`);
    await end('labels failed', () =>
      service.request('GET', `/api/transcriptspeakerid/${String(cancelled['download_id'])}`),
    );
    await both('labels', '/api/transcriptspeakerid', labels(id));
    await keep('labels record', download(String(answers.get('labels')?.body['download_id'])));
  };
  const silent = async (): Promise<void> => {
    const { body } = await post('/api/downloads/audio', video('silent'));
    await end('silent audio', () => download(idOf(body)));
    await end('labels of silence', () => post('/api/transcriptspeakerid', labels(idOf(body)), 30));
  };
  const videos = async (): Promise<void> => {
    const id = idOf(await keep('video pending', post('/api/downloads/video', video('silent'))));
    await end('video', () => download(id));
  };
  const failures = ['audio', 'video'].map(async (kind) => {
    const { body } = await post(`/api/downloads/${kind}`, video('private'));
    await end(`${kind} failed`, () => download(idOf(body)));
  });
  await Promise.all([spoken(), silent(), videos(), ...failures]);
}

async function channels(): Promise<void> {
  const index = (await (await fetch(service.sandbox.url, { headers: { accept: 'application/json' } })).json()) as {
    channels: { url: string; case: string }[];
  };
  const url = (kind: string): object => ({ url: index.channels.find((one) => one.case === kind)?.url });
  await Promise.all([
    both('channel', '/api/channel/profile', url('ordinary')),
    end('channel failed', () => post('/api/channel/profile', url('removed'), 30)),
  ]);
  await keep('channel record', download(downloadIn('channel')));
}

/** The id in the field `download` of an answer. */
const downloadIn = (name: string): string => (answers.get(name)?.body['download'] as { id: string }).id;

async function transcripts(): Promise<void> {
  const video = (kind: string): object => ({ vidnet_video_id: service.videoId(kind), language: 'en' });
  await Promise.all([
    both('transcript', '/api/transcripts', video('ordinary')),
    end('comments', () => post('/api/transcripts', { ...video('ordinary'), include_comments: true }, 30)),
    end('transcript failed', () => post('/api/transcripts', video('no_captions'), 30)),
  ]);
  await keep('transcript by id', service.request('GET', `/api/transcripts/${downloadIn('transcript')}`));
  await keep('transcript record', download(downloadIn('transcript')));
}

async function photos(): Promise<void> {
  const index = await imgnetIndex(service);
  const account = (kind: string): object => ({ url: index.accounts.find((one) => one.case === kind)?.url });
  const at = (kind: string, number = 0): object => ({ url: postUrl(index, kind, number) });
  const profiles = async (): Promise<void> => {
    const { list_id } = await both('profile', '/api/imgnet/profile', account('business'));
    await both('list', '/api/imgnet/list', { list_id });
    const downloads = answers.get('list')?.body['downloads'] as Record<'posts' | 'reels', { id: string }>;
    await keep('posts record', download(downloads.posts.id));
    await keep('reels record', download(downloads.reels.id));
    await keep('profile record', download(downloadIn('profile')));
  };
  const gone = async (name: string, path: string, body: object): Promise<void> => {
    const { body: first } = await post(path, body);
    await until(async () => (await download(String(first['download_id']))).status === 200, { what: name });
    await keep(`${name} pending after failure`, post(path, body));
    await end(`${name} failed`, () => post(path, body, 30));
  };
  const contents = async (): Promise<void> => {
    await both('image', '/api/imgnet/content', at('image'));
    await Promise.all([
      end('carousel', () => post('/api/imgnet/content', at('carousel'), 30)),
      end('reel', () => post('/api/imgnet/content', at('reel'), 30)),
      both('post audio', '/api/imgnet/audio', at('carousel')),
      both('no audio', '/api/imgnet/audio', at('image')),
    ]);
    await keep('content record', download(downloadIn('image')));
    const id = String(answers.get('no audio')?.body['download_id']);
    await keep('no audio record', download(id));
    await keep('labels of no audio', post('/api/transcriptspeakerid', { transcript_with_speaker_id: id }));
  };
  await Promise.all([
    profiles(),
    contents(),
    end('sparse profile', () => post('/api/imgnet/profile', account('ordinary'), 30)),
    gone('profile', '/api/imgnet/profile', account('not_found')),
    gone('content', '/api/imgnet/content', at('deleted')),
    end('post audio failed', () => post('/api/imgnet/audio', at('deleted'), 30)),
  ]);
}

const { records, pending, failed, content, labels, transcript, video } = specified;
const EXPECTED: Readonly<Record<string, specified.Check>> = {
  'audio pending': records.audio.pending,
  audio: records.audio.success,
  'audio failed': records.audio.failed,
  'audio again': specified.duplicate,
  'silent audio': records.audio.success,
  'video pending': records.video.pending,
  video: records.video.success,
  'video failed': records.video.failed,
  'labels too early': labels.audioRequired,
  'labels pending': labels.pending,
  labels: labels.success,
  'labels of silence': labels.noSpeech,
  'labels of no audio': labels.noSpeech,
  'labels failed pending': labels.pending,
  'labels failed': labels.failed,
  'labels record': records.facts('speaker_labels'),
  'channel pending': pending.channel,
  channel: specified.channel,
  'channel failed': failed('list', video),
  'channel record': records.facts('list'),
  'transcript pending': pending.transcript,
  transcript: transcript(),
  'transcript by id': transcript(),
  comments: transcript(specified.withComments),
  'transcript failed': failed('captions', video),
  'transcript record': records.captions,
  'profile pending': pending.profile,
  profile: specified.profile,
  'sparse profile': specified.profile,
  'profile pending after failure': pending.profileAfterFailure,
  'profile failed': failed('imgnet_profile'),
  'profile record': records.facts('imgnet_profile'),
  'list pending': pending.list,
  list: specified.listed,
  'posts record': records.facts('imgnet_list_posts'),
  'reels record': records.facts('imgnet_list_reels'),
  'image pending': pending.content,
  image: content.post,
  carousel: content.post,
  reel: content.reel,
  'content pending after failure': pending.contentAfterFailure,
  'content failed': failed('imgnet_post'),
  'content record': records.facts('imgnet_post'),
  'post audio pending': records.imgnetAudio.pending,
  'post audio': records.imgnetAudio.success,
  'post audio failed': records.imgnetAudio.failed,
  'no audio pending': records.imgnetAudio.pending,
  'no audio': specified.noAudio,
  'no audio record': records.imgnetAudio.silent,
};

describe('a client that takes the tables of the specification at their word', () => {
  it('has looked at every answer that was given', () => {
    expect(Object.keys(EXPECTED).sort()).toEqual([...answers.keys()].sort());
  });

  it.each(Object.keys(EXPECTED))('reads the answer: %s', (name) => {
    expect(EXPECTED[name]?.(answers.get(name)?.body, 'body')).toEqual([]);
  });

  it('reads every record in the list of downloads', async () => {
    // Others have used the service before, also for what is not in the specification.
    const path = `/api/downloads?limit=200&created_after=${begun}`;
    const { body } = await service.request<Json>('GET', path);
    expect(specified.list(specified.anyRecord)(body['downloads'], 'downloads')).toEqual([]);
    expect((body['downloads'] as object[]).length).toBeGreaterThan(20);
  });

  it('finds a file for each video slide of a carousel, the first in audio_url', () => {
    const slides = answers.get('carousel')?.body['post_content'] as { type: string }[];
    const { audio_url, file_urls } = answers.get('post audio')?.body['data'] as {
      audio_url: string;
      file_urls: string[];
    };
    expect(file_urls).toHaveLength(slides.filter(({ type }) => type === 'video').length);
    expect(file_urls[0]).toBe(audio_url);
  });

  it('knows from the first answer what a content with a known owner costs', async () => {
    const index = await imgnetIndex(service);
    // The profile of its owner was fetched above.
    const body = { url: postUrl(index, 'video', 1) };
    const first = await post('/api/imgnet/content', body);
    const last = await end('known owner', () => post('/api/imgnet/content', body, 30));
    expect([first.status, first.body['cost'], last['cost']]).toEqual([202, '0.005', '0.005']);
  });
});
