import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

const ORIGIN = 'https://app.example';
const REQUESTED_HEADERS = 'authorization,idempotency-key,mcp-protocol-version,mcp-method,tus-resumable,upload-offset';
let facades: Facades;
beforeAll(async () => {
  facades = await startFacades(100_000, { origins: [ORIGIN] });
});
afterAll(() => facades.close());

const send = (method: string, path: string, headers: Record<string, string>) =>
  fetch(facades.url + path, { method, headers });
const preflight = (origin: string) =>
  send('OPTIONS', '/api/downloads/audio', {
    ...{ origin, 'sec-fetch-site': 'cross-site' },
    ...{ 'access-control-request-method': 'POST', 'access-control-request-headers': REQUESTED_HEADERS },
  });

describe('CORS', () => {
  it('lets pages of a named origin send requests and read answers and errors', async () => {
    const { status, headers } = await preflight(ORIGIN);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(headers.get('access-control-allow-headers')).toBe(REQUESTED_HEADERS);
    // Requests with a bearer token are none with credentials, so that this stands for all.
    expect(headers.get('access-control-allow-methods')).toBe('*');
    for (const [path, expected] of [
      ['/api/downloads', 200],
      ['/downloads/unknown', 404],
    ] as const) {
      const answer = await send('GET', path, { origin: ORIGIN, 'sec-fetch-site': 'cross-site' });
      expect([path, answer.status]).toEqual([path, expected]);
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(answer.headers.get('access-control-expose-headers')).toBe('*');
      expect(answer.headers.get('vary')).toMatch(/origin/i);
    }
  });

  it.each(['https://other.example', 'https://app.example.evil.example', 'http://app.example', 'null'])(
    'gives pages of %s nothing',
    async (origin) => {
      for (const answer of [await preflight(origin), await send('GET', '/api/downloads', { origin })]) {
        expect(answer.status).toBe(403);
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      }
    },
  );

  it('is set by CORS_ORIGINS', () => {
    expect(loadConfig({ CORS_ORIGINS: `${ORIGIN}, http://127.0.0.1:5173` }).CORS_ORIGINS).toHaveLength(2);
    for (const wrong of ['app.example', 'https://app.example/', '*']) {
      expect(() => loadConfig({ CORS_ORIGINS: wrong })).toThrow('CORS_ORIGINS');
    }
  });
});
