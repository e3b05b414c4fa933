import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWER_BLANKS, createSites, REDIRECTS, type HostileSites } from '../../../quality/hostile/sites.ts';

const small = Buffer.from('a small recording');
const pictures = Buffer.from('huge pictures');
let sites: HostileSites;
let site: string;
beforeAll(async () => {
  sites = createSites({ small, pictures });
  site = await sites.open();
});
afterAll(() => sites.stop());

/** An answer as soon as its head has come. */
function head(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { maxHeaderSize: 2 * ANSWER_BLANKS }, resolve).on('error', reject);
  });
}

describe('the sites of a hostile caller', () => {
  it('have a host each', async () => {
    expect(new URL(await sites.open()).hostname).not.toBe(new URL(site).hostname);
  });

  it.each([
    ['slow-page', 'text/html', '<!doctype html>'],
    ['slow-file', 'audio/mp4', 'a small recording'],
  ] as const)('begin to send a %s, and do not end it', async (page, type, beginning) => {
    const before = sites.requestsOf(page);
    const answer = await head(`${site}/${page}`);
    expect(answer.headers['content-type']).toBe(type);
    const [first] = (await answer.take(1).toArray()) as Buffer[];
    expect(first?.toString()).toContain(beginning);
    // It was left by us.
    expect(answer.complete).toBe(false);
    expect(sites.requestsOf(page)).toBe(before + 1);
  });

  it('redirect ten times with blanks in a header, and then send the recording', async () => {
    let url = `${site}/blanks?n=1`;
    let hops = 0;
    let answer = await head(url);
    for (; answer.statusCode === 302; answer = await head(url)) {
      answer.resume();
      expect(answer.headers.connection?.length).toBeGreaterThan(ANSWER_BLANKS);
      url = new URL(answer.headers.location ?? '', url).href;
      hops += 1;
    }
    expect(hops).toBe(REDIRECTS);
    expect(Buffer.concat((await answer.toArray()) as Buffer[])).toEqual(small);
  });

  it.each([
    ['small', small],
    ['pictures', pictures],
  ] as const)('send the file of /%s whole', async (page, body) => {
    const answer = await head(`${site}/${page}?n=1`);
    expect(Buffer.concat((await answer.toArray()) as Buffer[])).toEqual(body);
  });

  it('have no other pages', async () => {
    expect((await head(`${site}/toString`)).statusCode).toBe(404);
  });
});
