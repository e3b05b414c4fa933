import { setTimeout as delay } from 'node:timers/promises';
import type { Sandbox } from '../../local/sandbox/server.ts';

interface Answer {
  readonly data?: { readonly id: string };
  readonly download_id?: string;
  readonly download?: { readonly id: string };
  readonly downloads?: { readonly posts: { readonly id: string } };
  readonly list_id?: string;
}
interface Batch {
  readonly id: string;
  readonly url: string;
  readonly counts: { readonly waiting: number; readonly running: number; readonly success: number };
}
const LONGEST_MS = 5 * 60_000;

/** Brings the service into the state that each page shows. @returns names and paths; the next state comes with the next pair */
export async function* preparedPages(
  serviceUrl: string,
  sandbox: Pick<Sandbox, 'url' | 'catalogue'>,
): AsyncGenerator<readonly [name: string, path: string]> {
  const send = async (url: string, body: object, headers = {}): Promise<Response> =>
    fetch(url, { method: 'POST', body: JSON.stringify(body), headers });
  const begun = async (path: string, body: object): Promise<Answer> =>
    (await (await send(serviceUrl + path, body)).json()) as Answer;
  const ended = async (path: string, body: object): Promise<Answer> => {
    for (const untilMs = Date.now() + LONGEST_MS; Date.now() < untilMs;) {
      const answer = await send(serviceUrl + path, body, { prefer: 'wait=60' });
      if (answer.status !== 202) return (await answer.json()) as Answer;
    }
    throw new Error(`${path} did not end`);
  };
  const jobPath = ({ data, download_id: id, download }: Answer): string =>
    `/console/jobs/${data?.id ?? download?.id ?? id ?? ''}`;
  const video = (kind: string): { vidnet_video_id: string } => {
    return { vidnet_video_id: sandbox.catalogue.find((one) => one.case === kind)?.id ?? '' };
  };
  const misbehave = (change: object): Promise<Response> => send(`${sandbox.url}/misbehave`, change);
  const posts = ((await (await fetch(sandbox.url)).json()) as { posts: { url: string; case: string }[] }).posts;

  const talk = video('ordinary');
  const audio = await ended('/api/downloads/audio', talk);
  yield ['audio', jobPath(audio)];
  yield ['speakers', jobPath(await ended('/api/transcriptspeakerid', { transcript_with_speaker_id: audio.data?.id }))];
  yield ['video', jobPath(await ended('/api/downloads/video', video('hd720')))];
  yield ['captions', jobPath(await ended('/api/transcripts', { ...talk, language: 'en', include_comments: true }))];
  yield ['channel', jobPath(await ended('/api/channel/profile', { url: '@weather-notes' }))];
  const profile = await ended('/api/imgnet/profile', { url: '@sandbox.garden' });
  yield ['profile', jobPath(profile)];
  const { downloads } = await ended('/api/imgnet/list', { list_id: profile.list_id });
  yield ['list', `/console/jobs/${downloads?.posts.id ?? ''}`];
  const carousel = posts.find((one) => one.case === 'carousel')?.url;
  yield ['post', jobPath(await ended('/api/imgnet/content', { url: carousel }))];
  yield ['failed', jobPath(await ended('/api/downloads/audio', video('private')))];
  const items = sandbox.catalogue.slice(0, 12).map(({ id }) => ({ operation: 'requestAudio', vidnet_video_id: id }));
  const batch = (await (await send(`${serviceUrl}/api/batches`, { name: 'Evening talks', items })).json()) as Batch;
  await endedSome(`${serviceUrl}${batch.url}`, items.length / 2);
  yield ['batch', `/console/batches/${batch.id}`];
  yield ['batches', '/console/batches'];
  const from = `${sandbox.url}/@evening-talks`;
  const order = { from, each: { operation: 'requestAudio' }, since: '2000-01-01', name: 'Evening talks' };
  const { url } = (await (await send(`${serviceUrl}/api/subscriptions`, order)).json()) as Batch;
  await itemsOf(`${serviceUrl}${url}/items`);
  yield ['subscription', url.replace('/api', '/console')];
  yield ['subscriptions', '/console/subscriptions'];
  await misbehave({ video: video('hd1080').vidnet_video_id, target: 'media', mode: 'slow', bytes_per_second: 3_000 });
  const slow = await begun('/api/downloads/video', video('hd1080'));
  await fetchingSome(`${serviceUrl}/downloads/${slow.data?.id ?? ''}`);
  yield ['running', jobPath(slow)];
  yield ['jobs', '/console/jobs'];
  yield ['home', '/console'];
  yield ['offers', `/console?q=${encodeURIComponent(`${sandbox.url}/watch?v=${talk.vidnet_video_id}`)}`];
  yield ['account', '/console/account'];
  await misbehave({ video: '*', target: 'page', mode: '429', retry_after_seconds: 120 });
  yield ['waiting', jobPath(await begun('/api/downloads/audio', video('vp9_opus')))];
}

async function itemsOf(url: string): Promise<void> {
  for (let looks = 0; looks < 120; looks += 1) {
    const { items } = (await (await fetch(url)).json()) as { items: readonly unknown[] };
    if (items.length > 0) return;
    await delay(1_000);
  }
  throw new Error('the subscription fetches nothing');
}

async function fetchingSome(url: string): Promise<void> {
  for (let looks = 0; looks < 60; looks += 1) {
    const { data } = (await (await fetch(url)).json()) as { data: { progress?: { downloaded_bytes?: number } } };
    if ((data.progress?.downloaded_bytes ?? 0) > 0) return;
    await delay(1_000);
  }
  throw new Error('the job does not begin');
}

async function endedSome(url: string, number: number): Promise<void> {
  for (let looks = 0; looks < 120; looks += 1) {
    const { counts } = (await (await fetch(url)).json()) as Batch;
    if (counts.success >= number) return;
    await delay(1_000);
  }
  throw new Error('the items of the batch do not end');
}
