import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ContentsReader } from '../../contract/contents.ts';
import { renderImgnetContentResult } from '../../contract/kinds/imgnet-content.ts';
import type { SuccessRecord } from '../../contract/records.ts';
import { completing } from '../../contract/told.ts';

describe('what was told is completed', () => {
  const complete = completing(
    z.object({
      id: z.string(),
      name: z.string().nullable().describe('Null when unknown'),
      items: z.array(z.object({ size: z.number().nullable() })).describe('Empty when unknown'),
      place: z.object({ name: z.string(), country: z.string().nullable() }).nullable(),
      note: z.string().optional(),
    }),
  );

  it('by null, an empty list, and nothing for what is optional', () => {
    const whole = complete({ id: 'a' });
    expect(whole).toEqual({ id: 'a', name: null, items: [], place: null });
    expect(whole).not.toHaveProperty('note');
  });

  it('inside of what is there too, whose order stays, and which is not changed', () => {
    const told = { place: { name: 'x' }, id: 'a', items: [{}, { size: 2 }], note: 'n' };
    const before = JSON.stringify(told);
    expect(JSON.stringify(complete(told))).toBe(
      '{"place":{"name":"x","country":null},"id":"a","items":[{"size":null},{"size":2}],"note":"n","name":null}',
    );
    expect(JSON.stringify(told)).toBe(before);
  });
});

it('comments of posts that earlier versions kept have microseconds in their time, and midnight for a day', async () => {
  const record: SuccessRecord = {
    ...{ id: '01JD5Z3K6VQ0W8R9T2X4Y6B8CD', type: 'imgnet_post', subjectId: 'imgnet_post/p/D1', mediaId: 'D1' },
    ...{ createdAt: '2026-11-21T09:30:00.123456Z', finishedAt: '2026-11-21T09:30:10.123456Z' },
    ...{ price: 5, charge: 5, status: 'success', files: [] },
  };
  const times = ['2026-03-14T18:00:00.123Z', '2026-03-15', undefined];
  const latest_comments = times.map((time) => ({
    comment: 'Tea',
    ...(time === undefined ? {} : { created_at: time }),
  }));
  const facts = { type: 'post', shortcode: 'D1', url: 'https://www.instagram.com/p/D1/', latest_comments };
  const contents = { facts: () => Promise.resolve(facts) } as unknown as ContentsReader;
  const nothing = { user_commenting: null, likes: null };
  expect(await renderImgnetContentResult(record, { contents })).toMatchObject({
    latest_comments: [
      { comment: 'Tea', created_at: '2026-03-14T18:00:00.123000Z', ...nothing },
      { comment: 'Tea', created_at: '2026-03-15T00:00:00.000000Z', ...nothing },
      { comment: 'Tea', created_at: null, ...nothing },
    ],
  });
});
