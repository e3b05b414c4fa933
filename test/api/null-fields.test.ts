import type { z } from 'zod';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openApiDocument } from '../../api/openapi/openapi-document.ts';
import type { Operation } from '../../api/operations/operation.ts';
import { operations } from '../../api/operations/operations.ts';
import { mediaOptionsShape } from '../../contract/kinds/media-options.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());
beforeEach(() => void vi.clearAllMocks());

interface Described {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly oneOf?: readonly Described[];
  readonly anyOf?: readonly Described[];
}

const rows = Object.entries<Operation>(operations);
const optionalOf = (schema: z.ZodObject): string[] =>
  Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
    field.safeParse(undefined).success ? [name] : [],
  );
const nullsFor = (names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, null]));
const bodies = rows.flatMap(([name, { body }]) => (body === undefined ? [] : [{ name, body }]));
const optionalInBodies = bodies.flatMap(({ name, body }) => optionalOf(body).map((field) => ({ name, body, field })));
const queries = rows.flatMap(([name, { query, params, rpc }]) => {
  const hasOptional = query !== undefined && optionalOf(query).length > 0;
  return !hasOptional || params !== undefined || rpc === undefined ? [] : [{ name, query, rpc }];
});

async function listed(procedure: string, input: object): Promise<unknown> {
  const answer = await fetch(`${facades.rpcUrl}/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`, {
    headers: { authorization: `Bearer ${facades.rpcToken}` },
  });
  return answer.json();
}

describe('null', () => {
  it('is tested in every optional field', () => {
    expect(new Set(optionalInBodies.map(({ field }) => field))).toEqual(
      new Set([
        ...['include_webhook', 'include_comments', 'language', 'speakers', 'max_age_days'],
        ...['url', 'mode', 'vidnet_video_id', 'download_id', 'item_webhooks', 'max_cost', 'name', 'skip'],
        ...['every', 'max_cost_per_day', 'items', 'from', 'each', 'filter', 'limit', 'order'],
        ...['title', 'image_url', 'on_duplicate', 'keep_days', 'priority', 'not_before'],
        ...Object.keys(mediaOptionsShape),
      ]),
    );
    expect(queries.map(({ name }) => name)).toEqual([
      ...['listDownloads', 'listBatches', 'listSubscriptions', 'listFeeds', 'listDeliveries'],
    ]);
  });

  it.each(optionalInBodies)('in the field $field of $name is the same as leaving it out', ({ body, field }) => {
    expect((body.shape as Record<string, z.ZodType>)[field]!.parse(null)).toBeUndefined();
  });

  it.each(optionalInBodies)('in the field $field of $name is documented', async ({ name, field }) => {
    const document = await openApiDocument('http://api.example', { allowsAnonymous: true, defaultWaitSeconds: 25 });
    const { method, path }: Operation = operations[name as keyof typeof operations];
    const schemas = document.components?.schemas as Record<
      string,
      { properties: Record<string, Described> } & Described
    >;
    const request = document.paths?.[path]?.[method]?.requestBody as unknown as {
      content: Record<string, { schema: { $ref: string } }>;
    };
    const named = (reference: string) => schemas[reference.split('/').at(-1)!]!;
    const described = named(request.content['application/json']!.schema.$ref).properties[field]!;
    const { oneOf = [], anyOf = [], ...whole } = described.$ref === undefined ? described : named(described.$ref);
    expect([whole, ...oneOf, ...anyOf].flatMap(({ type }) => type ?? [])).toContain('null');
  });

  it.each(queries)('in all fields of the procedure of $name is the same as leaving them out', async (row) => {
    const { query, rpc } = row;
    const without = await listed(rpc, {});
    expect(without).toHaveProperty('result');
    expect(await listed(rpc, nullsFor(optionalOf(query)))).toEqual(without);
  });

  it('in optional fields starts the same jobs over REST and tRPC', async () => {
    const { rpc, jobs } = facades;
    const video = { vidnet_video_id: 'kX3vQ9mTz0A', include_webhook: null };
    expect((await facades.post('/api/downloads/audio', JSON.stringify(video))).status).toBe(202);
    await rpc.downloads.audio.mutate({ ...video, wait_seconds: null });
    const captions = { ...video, language: 'en', include_comments: null };
    expect((await facades.post('/api/transcripts', JSON.stringify(captions))).status).toBe(202);
    await rpc.transcripts.request.mutate({ ...captions, wait_seconds: null });
    const [audio, again, transcript, other] = jobs.start.mock.calls.map(([, input]) => input);
    expect(audio!.webhookUrl).toBeUndefined();
    expect(again).toMatchObject({ subjectId: audio!.subjectId });
    expect(again!.webhookUrl).toBeUndefined();
    expect(transcript).toMatchObject({ subjectId: 'captions/kX3vQ9mTz0A/en', parameters: { includeComments: false } });
    expect(other).toMatchObject({ subjectId: transcript!.subjectId });
    // The wait is the same as without the field.
    expect(jobs.waitFor.mock.calls.map(([, waitMs]) => waitMs)).toEqual([25_000, 25_000]);
  });

  it('in a required field is refused', async () => {
    const answer = await facades.post('/api/downloads/audio', JSON.stringify({ vidnet_video_id: null }));
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', details: [{ path: 'vidnet_video_id' }] },
    });
  });
});
