import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFacades, type Facades } from '../helpers/rest-app.ts';

let facades: Facades;
beforeAll(async () => {
  facades = await startFacades(90);
});
afterAll(() => facades.close());

describe('the rate limit', () => {
  it('lets exactly 90 of 200 requests at once pass, and tells when to come back', async () => {
    const path = '/downloads/01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
    // A forged header must not make a second caller of one.
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        fetch(facades.url + path, { headers: { 'x-forwarded-for': `10.0.0.${String(index)}` } }),
      ),
    );
    const refused = answers.filter((answer) => answer.status === 429);
    expect(answers.filter((answer) => answer.status === 404)).toHaveLength(90);
    expect(refused).toHaveLength(110);
    const seconds = Number(refused[0]!.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    for (const answer of answers) {
      expect(answer.headers.get('ratelimit-limit')).toBe('90');
      expect(Number(answer.headers.get('ratelimit-remaining'))).toBeGreaterThanOrEqual(0);
      expect(Number(answer.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
    }
  });

  it('counts neither health nor files', async () => {
    expect((await fetch(`${facades.url}/health`)).status).toBe(200);
    const file = await fetch(`${facades.url}/files/01JD5Z3K6VQ0W8R9T2X4Y6B8CD/a.m4a`);
    expect(file.status).toBe(403);
    expect(file.headers.get('ratelimit-limit')).toBeNull();
  });
});
