import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { resolvedSchema, type Subject } from '../../contract/http/resolved-schemas.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

const ID = 'k3fP0aTz9Qw';
async function resolved(text: string): Promise<readonly Subject[]> {
  const answer = await fetch(`${facades.url}/api/resolve?${new URLSearchParams({ url: text }).toString()}`);
  expect(answer.status).toBe(200);
  const body: unknown = await answer.json();
  expect(resolvedSchema.parse(body)).toEqual(body);
  return (body as { subjects: Subject[] }).subjects;
}
const kindsOf = (subjects: readonly Subject[]): string[] => subjects.map(({ kind, id }) => `${kind} ${id}`);

describe('GET /api/resolve', () => {
  it.each([
    [`https://www.youtube.com/watch?v=${ID}`, [`video ${ID}`]],
    [ID, [`video ${ID}`, `channel @${ID.toLowerCase()}`, `profile ${ID.toLowerCase()}`]],
    ['@evening-talks', ['channel @evening-talks']],
    ['@evening.talks', ['channel @evening.talks', 'profile evening.talks']],
    ['https://www.youtube.com/c/EveningTalks/videos', ['channel c/eveningtalks']],
    ['https://www.instagram.com/evening.talks/', ['profile evening.talks']],
    ['https://www.instagram.com/p/DAbCdEfGhIj/', ['post DAbCdEfGhIj']],
    ['instagram.com/evening.talks/reel/DAbCdEfGhIj/?igsh=1', ['reel DAbCdEfGhIj']],
    ['https://example.com/talk?utm_source=x#part', ['page https://example.com/talk']],
    ['example.com/talk', ['page https://example.com/talk']],
    ['evening.talks', ['channel @evening.talks', 'profile evening.talks']],
    [`<https://youtu.be/${ID}>`, [`video ${ID}`]],
    [`Tea, at last! https://youtu.be/${ID}. Enjoy`, [`video ${ID}`]],
    [`"https://www.instagram.com/p/DAbCdEfGhIj/"`, ['post DAbCdEfGhIj']],
    [`(https://youtu.be/${ID})`, [`video ${ID}`]],
    [`https://www.youtube.com/watch?v=${ID}?feature=share`, [`video ${ID}`]],
    [`https://consent.youtube.com/m?continue=https%3A%2F%2Fyoutu.be%2F${ID}&gl=DE`, [`video ${ID}`]],
    ['https://www.youtube.com/@evening-talks.', ['channel @evening-talks']],
    ['https://instagr.am/p/DAbCdEfGhIj/embed', ['post DAbCdEfGhIj']],
    ['See https://example.com/talk_(film).', ['page https://example.com/talk_(film)']],
    ['!', []],
    ['two words', []],
    ['http://127.0.0.1/', ['page http://127.0.0.1/']],
    ['http://[', []],
  ])('returns the meanings of %s', async (text, expected) => {
    expect(kindsOf(await resolved(text))).toEqual(expected);
  });

  it('returns valid requests with their prices', async () => {
    const texts = [ID, 'https://www.youtube.com/@evening-talks', 'https://www.instagram.com/evening.talks/'];
    const subjects = await Promise.all(
      [...texts, 'instagram.com/p/DAbCdEfGhIj', 'https://example.com/talk'].map(resolved),
    );
    const starting = subjects.flatMap(([first]) => first!.offers).filter(({ after }) => after === null);
    const [speech, offers] = ['minute', 'job'].map((unit) => starting.filter(({ per }) => per === unit)) as [
      typeof starting,
      typeof starting,
    ];
    expect([offers.length, speech.length]).toEqual([5 + 2 + 1 + 4 + 4, 3]);
    for (const { path, body, base } of speech) {
      expect((await facades.post(path, JSON.stringify(body))).body).toMatchObject({ cost: '0.011' });
      expect([path, base]).toEqual(['/api/speech', '0.005']);
    }
    for (const { path, body, needs, price, per } of offers) {
      const added = needs.includes('language') ? { language: 'en' } : {};
      const answer = await facades.post(path, JSON.stringify({ ...body, ...added }));
      expect([path, answer.status, per]).toEqual([path, 202, 'job']);
      const result = answer.body as { data?: { cost: string }; cost?: string };
      expect([path, result.data?.cost ?? result.cost]).toEqual([path, price]);
    }
  });

  it('returns how long a transcription takes, once that was measured', async () => {
    const speech = async () => (await resolved(ID))[0]?.offers.find(({ operation }) => operation === 'requestSpeech');
    expect(await speech()).not.toHaveProperty('seconds_per_minute');
    vi.spyOn(facades.deps.speechLanguages, 'speed').mockResolvedValueOnce(0.256);
    expect(await speech()).toMatchObject({ seconds_per_minute: 15.4 });
  });

  it('returns which request depends on another one', async () => {
    const [video] = await resolved(ID);
    expect(video!.offers.at(-1)).toMatchObject({
      operation: 'requestSpeakerLabels',
      after: 'requestAudio',
      needs: ['transcript_with_speaker_id'],
      price: '0.006',
      per: 'minute',
    });
    const [profile] = await resolved('https://www.instagram.com/evening.talks/');
    expect(profile!.offers.slice(1)).toMatchObject([
      { operation: 'requestImgnetList', after: 'requestImgnetProfile', price: '0.001', per: 'post' },
      { operation: 'createBatch', body: { from: profile!.url }, base: '0.020', price: '0.010', per: 'entry' },
    ]);
  });

  it('returns why a page cannot be fetched', async () => {
    const [page] = await resolved('http://10.0.0.1/talk');
    expect(page).toMatchObject({ kind: 'page', offers: [], note: 'The URL points to an address that is not public.' });
  });

  it.each(['https://www.youtube.com/playlist?list=PLabc', 'youtube.com/watch?list=PLabc'])(
    'offers batches of the playlist %s, and a look at it',
    async (text) => {
      const from = 'http://127.0.0.1:4000/playlist?list=PLabc';
      const batch = (operation: string, price: string) => ({
        ...{ operation: 'createBatch', body: { from, each: { operation } }, price, per: 'entry' },
      });
      expect(await resolved(text)).toMatchObject([
        {
          ...{ kind: 'playlist', id: 'PLabc', url: from, note: null },
          offers: [batch('requestAudio', '0.005'), batch('requestVideo', '0.010'), { operation: 'requestMediaInfo' }],
        },
      ]);
    },
  );

  it.each([
    ['https://www.instagram.com/share/reel/DAbCdEfGhIj/', /copy the URL with/],
    ['https://www.instagram.com/stories/evening.talks/3570766765028588805/', /not a post/],
  ])('returns why %s is not a post', async (text, reason) => {
    const note = expect.stringMatching(reason) as string;
    expect(await resolved(text)).toMatchObject([{ kind: 'page', offers: [], note }]);
  });

  it('starts nothing and calls no engine', async () => {
    facades.jobs.start.mockClear();
    await resolved(ID);
    expect(facades.jobs.start).not.toHaveBeenCalled();
    expect(facades.jobs.status).not.toHaveBeenCalled();
  });

  it.each(['', `?url=`, `?url=${'x'.repeat(2_049)}`])('refuses %s', async (query) => {
    expect((await fetch(`${facades.url}/api/resolve${query}`)).status).toBe(400);
  });

  it('is the same over tRPC', async () => {
    expect(await facades.rpc.resolve.query({ url: ID })).toEqual({ subjects: await resolved(ID) });
  });
});
