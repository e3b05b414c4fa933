import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TranscriptFacts } from '../../contract/kinds/transcript-facts.ts';
import type { SpeakerLabels } from '../../contract/kinds/speaker-labels.ts';
import type { JobInput } from '../../contract/job-input.ts';
import { keepAudio, aLabelsJob, keepLabels } from './kept-audio.ts';
import { aTranscriptJob, keepJob, anAudioJob } from './jobs.ts';
import { LONGEST_TASK_MS, watchEventLoop } from './event-loop.ts';
import { startFacades, type Facades } from './rest-app.ts';

/** Enough of a file to see how it is made; a text of 15 MB takes half a minute to part into cues. */
const BEGINNING_BYTES = 1_000_000;

const SIGNS =
  '我们今天在这里讨论一下这个问题的解决方法然后再说吾輩は猫である名前はまだ無いどこで生れたかとんと見当がつかぬ';
/** Text without a blank, of so many bytes, that says no two things alike. */
function unbroken(bytes: number): string {
  let state = 7;
  const signs = Array.from({ length: Math.floor(bytes / 3) }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return SIGNS.charAt(state % SIGNS.length);
  });
  return signs.join('');
}
const captions = (videoId: string, lines: TranscriptFacts['lines']): TranscriptFacts => ({
  video: { videoId, link: `https://video.example/watch?v=${videoId}`, title: 'Tea' },
  track: { language: 'ja', kind: 'automatic' },
  lines,
});

/**
 * That nobody is held up by an answer however long.
 *
 * @param part of the largest of everything that is accepted
 */
export function longAnswers(part: number): void {
  let facades: Facades;
  let stop: () => number;
  let lives = 0;
  let asking: Promise<void>;
  let isOver = false;

  beforeAll(async () => {
    facades = await startFacades();
  });
  afterAll(() => facades.close());
  beforeEach(() => {
    lives = 0;
    isOver = false;
  });
  afterEach(() => void (isOver = true));

  /** From here on nothing may hold the event loop, and others are answered. */
  async function watch(): Promise<void> {
    // What the test has made is no longer in the way.
    await new Promise((resolve) => setTimeout(resolve, 20));
    stop = watchEventLoop();
    asking = (async () => {
      while (!isOver) {
        expect(await (await fetch(`${facades.url}/live`)).json()).toEqual({ status: 'ok' });
        lives += 1;
        // Others ask now and then: who did nothing else would be most of the load.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    // A test that fails elsewhere does not wait for it.
    asking.catch(() => undefined);
  }

  async function longestTurn(): Promise<number> {
    const longest = stop();
    isOver = true;
    await asking;
    expect(lives).toBeGreaterThan(1);
    return longest;
  }

  /** Reads an answer and forgets it. @returns its size */
  async function sizeOf(path: string, { base = facades.url, init = {}, maxBytes = Infinity } = {}) {
    const response = await fetch(base + path, init);
    expect([path, response.status]).toEqual([path, 200]);
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > maxBytes) break;
    }
    return bytes;
  }
  const asService = (): Record<string, string> => ({ Authorization: `Bearer ${facades.rpcToken}` });
  const rpc = (procedure: string, input: object, maxBytes = Infinity): Promise<number> => {
    const query = encodeURIComponent(JSON.stringify(input));
    return sizeOf(`/${procedure}?input=${query}`, { base: facades.rpcUrl, init: { headers: asService() }, maxBytes });
  };
  const rpcPost = (procedure: string, input: object): Promise<number> => {
    const headers = { 'content-type': 'application/json', ...asService() };
    const init = { method: 'POST', headers, body: JSON.stringify(input) };
    return sizeOf(`/${procedure}`, { base: facades.rpcUrl, init });
  };

  describe(`${part === 1 ? 'the largest that is accepted' : `${String(part)} of the largest`} is answered while others are`, () => {
    it.each([
      [
        'long lines, 4 MB at most',
        Array.from({ length: 700 * part }, (_, n) => ({ startSeconds: n, durationSeconds: 1, text: unbroken(6_000) })),
      ],
      [
        'short lines, 100,000 at most',
        Array.from({ length: 100_000 * part }, (_, n) => ({
          startSeconds: n,
          durationSeconds: 1,
          text: 'forty letters, more or less, in each line',
        })),
      ],
    ])(
      'a transcript of %s, with comments, 40,000 at most',
      async (_, lines) => {
        const job = aTranscriptJob({ parameters: { language: 'en', includeComments: true } });
        await facades.contents.putFacts(job.recordId, captions(job.mediaId, lines));
        const comments = await facades.contents.putList(
          { recordId: job.recordId, name: 'comments' },
          commentsOf(40_000 * part),
        );
        await keepJob(facades.deps.records, job, { status: 'success', result: { lists: { comments } } });
        const path = `/api/transcripts/${job.recordId}`;
        await watch();
        await Promise.all([sizeOf(path), sizeOf(`${path}.txt`), rpc('transcripts.get', { download_id: job.recordId })]);
        const exports = ['srt', 'vtt'].map((format) => sizeOf(`${path}.${format}`, { maxBytes: BEGINNING_BYTES }));
        await Promise.all([...exports, rpc('transcripts.export', { download_id: job.recordId, format: 'txt' })]);
        expect(await longestTurn()).toBeLessThan(LONGEST_TASK_MS);
      },
      120_000,
    );

    it('speaker labels of twelve hours at most', async () => {
      const audio = await keepAudio(facades);
      const job = aLabelsJob(audio);
      const segments = Array.from({ length: 13_000 * part }, (_, n) => ({
        ...{
          text: 'ten words are said in each of these many segments',
          start: n * 3.3,
          duration: 3,
          speaker: `Speaker ${String((n % 2) + 1)}`,
        },
        wordStarts: Array.from({ length: 10 }, (_w, i) => n * 3.3 + i * 0.3),
      }));
      const voices = segments.map(({ start, duration }, n) => ({
        startSeconds: start,
        endSeconds: start + duration,
        speaker: n % 2,
      }));
      const labels: SpeakerLabels = {
        engine: 'sherpa',
        language: 'en',
        durationSeconds: 43_200 * part,
        segments,
        speakerTurns: voices,
      };
      await keepLabels(facades, job, labels);
      const path = `/api/transcriptspeakerid/${job.recordId}`;
      await watch();
      await Promise.all(['', '.srt', '.vtt', '.txt', '.rttm'].map((ending) => sizeOf(path + ending)));
      await rpc('speakers.get', { id: job.recordId });
      await rpc('speakers.export', { id: job.recordId, format: 'rttm' });
      expect(await longestTurn()).toBeLessThan(LONGEST_TASK_MS);
    }, 120_000);

    it('a channel of 20,000 videos at most', async () => {
      const handle = `c${ulid().slice(-8).toLowerCase()}`;
      const parameters = { channel: { kind: 'handle', name: handle } } as const;
      const job: JobInput = {
        ...anAudioJob(),
        type: 'list',
        subjectId: `list/@${handle}`,
        mediaId: `@${handle}`,
        parameters,
      };
      await facades.contents.putFacts(job.recordId, { channelId: 'UC1', title: 'Tea', url: 'https://video.example/' });
      const pieces = 200 * part;
      for (let number = 1; number <= pieces; number += 1) {
        const videos = Array.from({ length: 100 }, (_, n) => ({
          videoId: `${String(number)}-${String(n)}`,
          title: 'T'.repeat(1_000),
          thumbnailUrl: `https://i.example/${'x'.repeat(2_000)}`,
        }));
        await facades.contents.putPiece({ recordId: job.recordId, name: 'videos', number }, videos);
      }
      await keepJob(facades.deps.records, job, {
        status: 'success',
        result: { lists: { videos: { pieces, items: 100 * pieces } } },
      });
      const request = { url: `@${handle}` };
      await watch();
      await sizeOf('/api/channel/profile', { init: { method: 'POST', body: JSON.stringify(request) } });
      await rpcPost('channels.profile', request);
      expect(await longestTurn()).toBeLessThan(LONGEST_TASK_MS);
    }, 120_000);
  });
}

async function* commentsOf(count: number) {
  for (let n = 0; n < count; n += 1) {
    yield await Promise.resolve({
      id: String(n),
      author: '@someone',
      text: `Comment ${String(n)}: ${'well said '.repeat(10)}`,
      likes: 3,
      reply_to: 'missing',
    });
  }
}
