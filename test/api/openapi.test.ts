import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audioRecordSchema } from '../../contract/kinds/audio.ts';

import { operationLinks } from '../../api/openapi/operation-links.ts';
import { openApiDocument } from '../../api/openapi/openapi-document.ts';
import type { Operation } from '../../api/operations/operation.ts';
import { operations } from '../../api/operations/operations.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

const document = await openApiDocument('http://api.example', { allowsAnonymous: true, defaultWaitSeconds: 25 });
let facades: Facades;
beforeAll(async () => {
  facades = await startFacades();
});
afterAll(() => facades.close());

describe('the OpenAPI document', () => {
  it('describes which operations accept or require a key', async () => {
    const keyed = await openApiDocument('http://api.example', { allowsAnonymous: false, defaultWaitSeconds: 25 });
    expect(document.paths?.['/api/downloads']?.get?.security).toEqual([{ ApiKey: [] }, {}]);
    expect(keyed.paths?.['/api/downloads']?.get?.security).toEqual([{ ApiKey: [] }]);
    expect(keyed.paths?.['/health']?.get?.security).toEqual([]);
    expect(document.components?.securitySchemes?.['ApiKey']).toMatchObject({ type: 'http', scheme: 'bearer' });
  });

  it('describes the configured wait time', async () => {
    const other = await openApiDocument('http://api.example', { allowsAnonymous: true, defaultWaitSeconds: 8 });
    const preferOf = (path: string): unknown => other.paths?.[path]?.post?.parameters?.[0];
    expect(preferOf('/api/transcripts')).toMatchObject({
      schema: { description: expect.stringContaining('by default 8') },
    });
    expect(preferOf('/api/downloads/audio')).toMatchObject({
      schema: { description: expect.stringContaining('by default 0') },
    });
  });

  it('links only to operations that exist, by parameters that they have', () => {
    for (const [from, byStatus] of Object.entries(operationLinks)) {
      for (const [status, links] of Object.entries(byStatus)) {
        expect(operations[from as keyof typeof operations].answers).toHaveProperty(status);
        for (const { operationId, parameters = {}, requestBody = {} } of Object.values(links)) {
          const target: Operation = operations[operationId];
          expect(Object.keys(target.params?.shape ?? {})).toEqual(expect.arrayContaining(Object.keys(parameters)));
          expect(target.body?.shape ?? {}).toMatchObject(
            Object.fromEntries(Object.keys(requestBody).map((name) => [name, {}])),
          );
        }
      }
    }
  });

  it('describes the fields of the record', () => {
    const record = document.components?.schemas?.['AudioRecord'] as { properties: object; required: string[] };
    expect(Object.keys(record.properties).sort()).toEqual(Object.keys(audioRecordSchema.shape).sort());
    expect(record.required).toContain('duration');
    expect(record.required).not.toContain('progress');
  });

  it.each(['VidnetFailedResult', 'SpeakerLabelsFailed', 'FailedResult', 'ImgnetListFailed'])(
    'tells that %s is an addition to the specification, which knows pending jobs and successes',
    (name) => {
      const { description } = document.components?.schemas?.[name] as { description?: string };
      expect(description).toMatch(/failed.*an addition to the specification/i);
    },
  );

  it('describes failed jobs by 400 and 500, in addition to the errors with these statuses', () => {
    const { responses } = document.paths?.['/api/transcripts']?.post as unknown as {
      responses: Record<string, { description: string; content: Record<string, { schema: unknown }> }>;
    };
    const referenceTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    for (const status of ['400', '500']) {
      expect(responses[status]?.content['application/json']?.schema).toEqual({
        anyOf: [referenceTo('Error'), referenceTo('VidnetFailedResult')],
      });
    }
    expect(responses['200']?.content['application/json']?.schema).toEqual(referenceTo('Transcript'));
    expect(responses['400']?.description).toMatch(/job failed.*invalid_input/);
  });

  it('describes an Authorization header without a key', () => {
    const { description } = document.components?.securitySchemes?.['ApiKey'] as { description: string };
    expect(description).toContain('`Authorization-Ignored`');
  });

  it('contains every schema to which it refers', () => {
    const references = JSON.stringify(document).match(/#\/components\/schemas\/\w+/g) ?? [];
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) {
      expect(document.components?.schemas).toHaveProperty(reference.split('/').at(-1) ?? '');
    }
  });

  it('is served with a page that loads nothing from other hosts', async () => {
    const served = (await (await fetch(`${facades.url}/openapi.json`)).json()) as object;
    expect(served).toEqual(JSON.parse(JSON.stringify(document)));
    const page = await (await fetch(`${facades.url}/docs`)).text();
    const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      expect(part).toMatch(/^\/docs\//);
      expect((await fetch(facades.url + part)).status).toBe(200);
    }
  });
});
