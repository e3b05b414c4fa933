import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../api/openapi/openapi-document.ts';
import { errorsOf, type Operation } from '../../api/operations/operation.ts';
import { operationGroups, operations } from '../../api/operations/operations.ts';
import { ERROR_TABLE, errorBodySchema } from '../../contract/http/api-error.ts';
import { downloadResultSchema, jobResultSchema, kinds } from '../../contract/kinds/kinds.ts';
import type { RecordType } from '../../contract/download-record.ts';

const document = await openApiDocument('https://api.tapedeck.test', { allowsAnonymous: true, defaultWaitSeconds: 25 });
const rows = Object.entries<Operation>(operations);

interface Shown {
  readonly examples?: Readonly<Record<string, { readonly value?: unknown; readonly $ref?: string }>>;
}
interface Described {
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Shown>> }>>;
  readonly requestBody: { readonly content: Readonly<Record<string, Shown>> };
}
const described = (operation: Operation): Described =>
  (document.paths?.[operation.path] as unknown as Record<string, Described>)[operation.method]!;
const components = document.components?.examples as Readonly<Record<string, { value: unknown }>>;
const valuesOf = ({ examples = {} }: Shown): unknown[] =>
  Object.values(examples).map(({ value, $ref }) =>
    $ref === undefined ? value : components[$ref.split('/').at(-1)!]!.value,
  );

/** The documented answers of an operation, by status and content type. */
const answersOf = (operation: Operation) =>
  Object.entries(described(operation).responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).map(([type, shown]) => ({ status: Number(status), type, values: valuesOf(shown) })),
  );
const webhooks = document.webhooks as unknown as Readonly<Record<string, { readonly post: Described }>>;

describe('the OpenAPI document', () => {
  it('passes its linter, without a warning', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: false },
        // An ID contains no dot, so `{id}.srt` is not an ID.
        'no-ambiguous-paths': 'off',
      },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('has every operation in a group that it describes', () => {
    const groups = (document.tags ?? []).map(({ name }) => name);
    expect(groups).toEqual([...operationGroups.map(({ tag }) => tag), 'Uploads']);
    for (const [, operation] of rows) expect(groups).toContain(described(operation).tags[0]);
    expect(operationGroups.flatMap(({ rows: group }) => Object.keys(group)).toSorted()).toEqual(
      rows.map(([name]) => name).toSorted(),
    );
  });

  it.each(rows)('has valid examples of every answer of %s', (_name, operation) => {
    for (const { status, type, values } of answersOf(operation)) {
      expect(values.length, `${String(status)} ${type}`).toBeGreaterThan(0);
      if (type !== 'application/json') continue;
      const schemas = [operation.answers[status]?.schema, operation.errorBodies?.[status], errorBodySchema];
      const codes: string[] = [];
      for (const value of values) {
        expect(schemas.some((schema) => schema?.safeParse(value).success === true)).toBe(true);
        const error = errorBodySchema.safeParse(value);
        if (error.success) codes.push(error.data.code);
      }
      // There is an example of every error with the status.
      const expected = errorsOf(operation).filter((code) => ERROR_TABLE[code].http === status);
      expect(new Set(codes)).toEqual(new Set(expected));
    }
  });

  it('shows the events of a job in their wire format', () => {
    for (const [operation, schema] of [
      [operations.followDownload, jobResultSchema],
      [operations.followDownloads, downloadResultSchema],
    ] as const) {
      const [text] = valuesOf(described(operation).responses['200']!.content!['text/event-stream']!);
      const events = [...String(text).matchAll(/^data: (.*)\nid: \S+\n\n/gm)].map(
        ([, json = '']) => JSON.parse(json) as unknown,
      );
      expect(events).toHaveLength(2);
      for (const one of events) expect(schema.safeParse(one).error).toBeUndefined();
    }
  });
});

describe('the webhooks of the OpenAPI document', () => {
  it('include every type of job, and the test', () => {
    const endpoints = new Set(Object.values(kinds).map(({ endpoint }) => endpoint));
    const others = ['batches', 'subscriptions', 'webhook/test'];
    expect(Object.keys(webhooks).toSorted()).toEqual([...others, ...endpoints].toSorted());
    const started = new Set<RecordType>(['upload', ...rows.flatMap(([, { jobs = [] }]) => jobs)]);
    expect([...started].toSorted()).toEqual((Object.keys(kinds) as RecordType[]).toSorted());
  });

  it.each(rows.filter(([, { jobs }]) => jobs !== undefined))(
    'bring successes and failures of %s, which its endpoint answers',
    (_name, { jobs = [], answers: own }) => {
      for (const type of jobs) {
        const values = valuesOf(webhooks[kinds[type].endpoint]!.post.requestBody.content['application/json']!);
        const isOf = (status: number) =>
          values.filter((value) => own[status]?.schema?.safeParse(value).success === true);
        // If the answer is a record, its schema has every state.
        expect(new Set([...isOf(200), ...isOf(400)])).toEqual(new Set(values));
        expect(isOf(200).length).toBeGreaterThan(0);
        expect(isOf(400).length).toBeGreaterThanOrEqual(2);
      }
    },
  );

  it('contain each part of a list separately', () => {
    const { examples = {} } = webhooks['imgnet/list']!.post.requestBody.content['application/json']!;
    const part = (name: string) => examples[name]?.value as { posts: unknown[]; reels: unknown[] };
    const lengths = ({ posts, reels }: { posts: unknown[]; reels: unknown[] }) => [posts.length, reels.length];
    expect(lengths(part('imgnet_list_posts_success'))).toEqual([1, 0]);
    expect(lengths(part('imgnet_list_reels_success'))).toEqual([0, 1]);
  });
});
