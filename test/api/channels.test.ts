import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => {
  for (const fake of Object.values(facades.jobs)) fake.mockClear();
});

const request = (url: string) => facades.post('/api/channel/profile', JSON.stringify({ url }));

describe('a request for a channel', () => {
  it('uses the known ID of a name, because another channel may have the name now', async () => {
    const id = 'UCk2Vn7dQx_Zb4mTfLr9YwGA';
    await facades.deps.records.noteSameAs('list/@evening-talks', `list/channel/${id}`);
    const answer = await request('@Evening-Talks');
    expect(answer.status).toBe(202);
    expect(facades.jobs.start.mock.calls[0]?.[1]).toMatchObject({
      subjectId: `list/channel/${id}`,
      mediaId: '@evening-talks',
      parameters: { channel: { kind: 'id', name: id } },
    });
  });

  it('uses the name if its ID is not known', async () => {
    await request('https://www.youtube.com/c/EveningTalks');
    expect(facades.jobs.start.mock.calls[0]?.[1]).toMatchObject({
      subjectId: 'list/c/eveningtalks',
      parameters: { channel: { kind: 'custom', name: 'eveningtalks' } },
    });
  });
});
