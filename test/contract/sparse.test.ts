import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ContentsReader } from '../../contract/kinds/contents.ts';
import { imgnetContentResultSchema, renderImgnetContentResult } from '../../contract/kinds/imgnet-content.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { withNullDefaults } from '../../contract/kinds/sparse.ts';

describe('withNullDefaults', () => {
  const complete = withNullDefaults(
    z.object({
      id: z.string(),
      name: z.string().nullable().describe('Null when unknown'),
      items: z.array(z.object({ size: z.number().nullable() })).describe('Empty when unknown'),
      country: z.object({ name: z.string(), code: z.string().nullable() }).nullable(),
      note: z.string().optional(),
    }),
  );

  it('adds null, an empty list, and nothing for optional fields', () => {
    const whole = complete({ id: 'a' });
    expect(whole).toEqual({ id: 'a', name: null, items: [], country: null });
    expect(whole).not.toHaveProperty('note');
    // JSON may contain null for an absent field.
    expect(complete({ id: 'a', country: null } as never)).toEqual(whole);
  });

  it('completes nested values, keeps their order and does not modify the input', () => {
    const sparse = { country: { name: 'x' }, id: 'a', items: [{}, { size: 2 }], note: 'n' };
    const before = JSON.stringify(sparse);
    expect(JSON.stringify(complete(sparse))).toBe(
      '{"country":{"name":"x","code":null},"id":"a","items":[{"size":null},{"size":2}],"note":"n","name":null}',
    );
    expect(JSON.stringify(sparse)).toBe(before);
  });
});

describe('the content of a post or reel', () => {
  const base = {
    ...({ id: '01JD5Z3K6VQ0W8R9T2X4Y6B8CD', type: 'imgnet_post', subjectId: 'imgnet_post/p/D1' } as const),
    ...{ mediaId: 'D1', startedBy: 'anonymous', createdAt: '2026-11-21T09:30:00.123456Z', price: 15 },
  };
  const finishedAt = '2026-11-21T09:30:10.123456Z';
  const rendered = async (record: DownloadRecord, facts?: object) => {
    const contents = { facts: () => Promise.resolve(facts) } as unknown as ContentsReader;
    return imgnetContentResultSchema.parse(await renderImgnetContentResult(record, { contents }));
  };

  it('has its state and cost while it is pending and after a failure', async () => {
    expect(await rendered({ ...base, status: 'pending' })).toMatchObject({
      ...{ status: 'pending', cost: '0.015', download: { id: base.id, status: 'pending' } },
    });
    const failure = { code: 'private', message: 'The account is private.' } as const;
    expect(await rendered({ ...base, finishedAt, status: 'failed', failure })).toMatchObject({
      ...{ status: 'failed', ...failure, cost: '0.000', download: { id: base.id, status: 'failed' } },
    });
  });

  it.each([
    ['post', 'D1', 'post_content'],
    ['reel', 'D2', 'hashtags'],
  ] as const)('of a %s has the fields of its kind and what was charged', async (type, shortcode, field) => {
    const facts = { type, shortcode, url: `https://www.instagram.com/p/${shortcode}/`, content_type: type };
    const answer = await rendered({ ...base, finishedAt, status: 'success', charge: 5, files: [] }, facts);
    const download = { id: base.id, media_id: 'D1', type: 'imgnet_post', status: 'success', cost: '0.005' };
    expect(answer).toMatchObject({ status: 'success', type, shortcode, cost: '0.005', download });
    expect(answer).toHaveProperty(field, []);
  });
});
