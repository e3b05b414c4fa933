import { access, readFile } from 'node:fs/promises';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { BUILT_IN_CATALOGUE } from '../../local/sandbox/server.ts';
import { pageOf, startTestSandbox, ytDlp, type TestSandbox } from '../helpers/sandbox.ts';

const SIZE_BYTES = 235_912;

let sandbox: TestSandbox;
let id: string;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  id = sandbox.idOf('ordinary');
});
afterEach(() => misbehave({ video: '*', mode: 'off' }));
afterAll(() => sandbox.stop());

async function misbehave(body: object): Promise<void> {
  const response = await sandbox.post('/misbehave', body);
  expect(response.status, await response.clone().text()).toBe(200);
}

/** What arrives of the audio, and whether the connection ended before the announced length. */
function fetchAudio(headers: Record<string, string> = {}): Promise<{
  response: IncomingMessage;
  sizeBytes: number;
  aborted: boolean;
}> {
  return new Promise((resolve, reject) => {
    httpGet(`${sandbox.url}/media/${id}/140`, { headers, agent: false }, (response) => {
      let sizeBytes = 0;
      response.on('data', (chunk: Buffer) => (sizeBytes += chunk.length));
      response.on('error', () => undefined);
      response.on('close', () => resolve({ response, sizeBytes, aborted: !response.complete }));
    }).on('error', reject);
  });
}

const page = (of = id): Promise<Response> => fetch(pageOf(sandbox, of));
const audio = ['--format', 'ba[ext=m4a]', '--output'];

it('answers 429 with Retry-After the requested number of times, then as usual', async () => {
  await misbehave({ video: id, target: 'page', mode: '429', times: 2, retry_after_seconds: 7 });
  const answers = [await page(), await page(), await page()];
  expect(answers.map((answer) => answer.status)).toEqual([429, 429, 200]);
  expect(answers[0]!.headers.get('retry-after')).toBe('7');
});

it('makes yt-dlp report 429 and 500 as for the real platform', async () => {
  const error = async (mode: string, target: string): Promise<string> => {
    await misbehave({ video: '*', target, mode });
    return (await ytDlp(sandbox, pageOf(sandbox, id), [...audio, `${mode}-${target}.m4a`])).stderrTail;
  };
  expect(await error('429', 'page')).toMatch(/ERROR: .*Unable to download API page: HTTP Error 429: Too Many Requests/);
  expect(await error('500', 'page')).toMatch(/ERROR: .*HTTP Error 500: Internal Server Error/);
  await misbehave({ video: '*', mode: 'off' });
  expect(await error('429', 'media')).toMatch(/ERROR: unable to download video data: HTTP Error 429/);
});

it('affects only the given video', async () => {
  const other = sandbox.catalogue.find((video) => video.case === 'ordinary' && video.id !== id)!.id;
  await misbehave({ video: '*', target: 'page', mode: '500' });
  await misbehave({ video: id, target: 'page', mode: '429' });
  expect([(await page()).status, (await page(other)).status]).toEqual([429, 500]);
  await misbehave({ video: '*', mode: 'off' });
  expect([(await page()).status, (await page(other)).status]).toEqual([200, 200]);
});

it('announces the whole body and ends the connection early, on resumed transfers too', async () => {
  await misbehave({ video: id, target: 'media', mode: 'cut' });
  const before = await sandbox.stats(id);
  const first = await fetchAudio();
  expect(first).toMatchObject({ aborted: true, sizeBytes: SIZE_BYTES / 2 });
  expect(first.response.headers['content-length']).toBe(String(SIZE_BYTES));
  const resumed = await fetchAudio({ range: `bytes=${String(SIZE_BYTES - 1)}-` });
  expect(resumed).toMatchObject({ aborted: true, sizeBytes: 0 });
  expect(resumed.response.headers['content-length']).toBe('1');
  expect((await sandbox.stats(id))['complete_media_bodies']).toBe(before['complete_media_bodies']);
});

it('leaves yt-dlp without a file while bodies are cut, and lets it resume afterwards', async () => {
  await misbehave({ video: id, target: 'media', mode: 'cut' });
  const cut = await ytDlp(sandbox, pageOf(sandbox, id), [...audio, 'cut.m4a']);
  expect(cut.exitCode).toBe(1);
  await expect(access(join(sandbox.folder, 'cut.m4a'))).rejects.toThrow();
  const partBytes = (await readFile(join(sandbox.folder, 'cut.m4a.part'))).length;
  await misbehave({ video: '*', mode: 'off' });
  await sandbox.post('/stats/reset', {});
  expect((await ytDlp(sandbox, pageOf(sandbox, id), [...audio, 'cut.m4a'])).exitCode).toBe(0);
  expect(await sandbox.stats(id)).toMatchObject({
    media_requests: 1,
    media_bytes: SIZE_BYTES - partBytes,
    complete_media_bodies: 1,
  });
  const original = await readFile(join(BUILT_IN_CATALOGUE, 'media/tea/140.m4a'));
  expect((await readFile(join(sandbox.folder, 'cut.m4a'))).equals(original)).toBe(true);
});

it('sends a short body that the transport finds perfect', async () => {
  await misbehave({ video: id, target: 'media', mode: 'short', cut_at_fraction: 0.25 });
  const whole = await fetchAudio();
  expect(whole).toMatchObject({ aborted: false, sizeBytes: SIZE_BYTES / 4 });
  expect(whole.response.headers['content-length']).toBe(String(SIZE_BYTES / 4));
  const part = await fetchAudio({ range: 'bytes=10-' });
  expect(part.response.headers['content-range']).toBe(
    `bytes 10-${String(SIZE_BYTES / 4 - 1)}/${String(SIZE_BYTES / 4)}`,
  );
  await misbehave({ video: id, target: 'media', mode: 'short', chunked: true });
  const chunked = await fetchAudio();
  expect(chunked).toMatchObject({ aborted: false, sizeBytes: SIZE_BYTES / 2 });
  expect(chunked.response.headers['content-length']).toBeUndefined();
});

it('hangs at once, or in the middle', async () => {
  await misbehave({ video: id, target: 'page', mode: 'hang' });
  await expect(fetch(pageOf(sandbox, id), { signal: AbortSignal.timeout(300) })).rejects.toThrow(/timeout/i);
  await misbehave({ video: id, target: 'media', mode: 'hang', cut_at_bytes: 1000 });
  const response = await fetch(`${sandbox.url}/media/${id}/140`, { signal: AbortSignal.timeout(500) });
  let received = 0;
  const drain = async (): Promise<void> => {
    for await (const chunk of response.body!) received += (chunk as Uint8Array).length;
  };
  await expect(drain()).rejects.toThrow(/timeout/i);
  expect(received).toBe(1000);
});

it('is as slow as requested', async () => {
  await misbehave({ video: id, target: 'media', mode: 'slow', bytes_per_second: 20_000 });
  const started = performance.now();
  const { sizeBytes } = await fetchAudio({ range: 'bytes=0-9999' });
  expect(sizeBytes).toBe(10_000);
  expect(performance.now() - started).toBeGreaterThan(450);
});

it('never ends a broadcast', async () => {
  const path = `${sandbox.url}/media/${sandbox.idOf('live')}/140`;
  const leaving = new AbortController();
  const response = await fetch(path, { signal: leaving.signal });
  expect(response.headers.get('content-length')).toBeNull();
  setTimeout(() => leaving.abort(new Error('it has not ended')), 500);
  await expect(response.arrayBuffer()).rejects.toThrow('it has not ended');
});

it('lists what is switched on, and how often it was hit', async () => {
  await misbehave({ video: id, target: 'page', mode: 500, times: 3 });
  await page();
  const listed = (await (await fetch(`${sandbox.url}/misbehave`)).json()) as object;
  expect(listed).toEqual({ switches: [{ video: id, target: 'page', mode: '500', times_left: 2, hits: 1 }] });
});

it.each([
  [[], /object/],
  [{ video: '*', target: 'page' }, /mode/],
  [{ video: '*', target: 'page', mode: 'explode' }, /"429".*"hang"/],
  [{ video: '*', mode: '429' }, /target/],
  [{ video: 'nope', target: 'page', mode: '429' }, /not in the catalogue/],
  [{ video: '*', target: 'page', mode: '429', times: 0 }, /times/],
  [{ video: '*', target: 'page', mode: '429', typo: 1 }, /typo/],
  [{ video: '*', target: 'media', mode: 'cut', cut_at_fraction: 1 }, /cut_at_fraction/],
])('refuses the switch %j with a reason', async (body, reason) => {
  const response = await sandbox.post('/misbehave', body);
  expect(response.status).toBe(400);
  expect(((await response.json()) as { error: string }).error).toMatch(reason);
});

it('stops although a request hangs', async () => {
  const doomed = await startTestSandbox();
  await doomed.post('/misbehave', { video: '*', target: 'page', mode: 'hang' });
  const hanging = fetch(pageOf(doomed, doomed.idOf('ordinary')));
  const outcome = expect(hanging).rejects.toThrow();
  await expect.poll(async () => (await doomed.stats())['page_reads']).toBe(1);
  await doomed.stop();
  await outcome;
});
