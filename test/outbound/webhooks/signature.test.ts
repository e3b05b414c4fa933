import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  createWebhookSigner,
  parseWebhookSecret,
  receiverSecrets,
} from '../../../outbound/webhooks/webhook-signature.ts';

const aSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const keysOf = (...secrets: string[]): Buffer[] => secrets.map((secret) => parseWebhookSecret(secret)!);
const id = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD-1';
const URL_OF_A = 'https://a.example/hook?x=1';

describe('a signed message', () => {
  it('is accepted by the library that receivers use, whatever the body and the key', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.json(),
        fc.uint8Array({ minLength: 24, maxLength: 64 }),
        fc.boolean(),
        async (json, key, isStreamed) => {
          const chunks = () => Readable.from(json.match(/.{1,3}/gsu) ?? []) as AsyncIterable<string>;
          const headers = await createWebhookSigner([key])({ id, url: URL_OF_A, body: isStreamed ? chunks : json });
          const webhook = new Webhook(`whsec_${Buffer.from(key).toString('base64')}`);
          return JSON.stringify(webhook.verify(json, headers)) === JSON.stringify(JSON.parse(json));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is accepted with each secret during a rotation, and with no other', async () => {
    const [old, young, foreign] = [aSecret(), aSecret(), aSecret()];
    const headers = await createWebhookSigner(keysOf(old, young))({ id, url: URL_OF_A, body: '{}' });
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}=( v1,[\w+/]{43}=){3}$/);
    expect(new Webhook(old).verify('{}', headers)).toEqual({});
    expect(new Webhook(young).verify('{}', headers)).toEqual({});
    expect(() => new Webhook(foreign).verify('{}', headers)).toThrow(WebhookVerificationError);
  });

  it('is refused with another body, ID or time', async () => {
    const secret = aSecret();
    const headers = await createWebhookSigner(keysOf(secret))({ id, url: URL_OF_A, body: '{}' });
    const verify = (body: string, change: object = {}) => new Webhook(secret).verify(body, { ...headers, ...change });
    expect(verify('{}')).toEqual({});
    const seconds = Number(headers['webhook-timestamp']);
    expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(10);
    expect(() => verify('{ }')).toThrow(WebhookVerificationError);
    expect(() => verify('{}', { 'webhook-id': `${id}2` })).toThrow(WebhookVerificationError);
    expect(() => verify('{}', { 'webhook-timestamp': String(seconds + 1) })).toThrow(WebhookVerificationError);
  });

  it('is refused when it is too old, by the time of the attempt', async () => {
    const secret = aSecret();
    const headers = await createWebhookSigner(
      keysOf(secret),
      () => Date.now() - 6 * 60_000,
    )({ id, url: URL_OF_A, body: '{}' });
    expect(() => new Webhook(secret).verify('{}', headers)).toThrow('too old');
  });
});

describe('a message for one receiver', () => {
  const shared = aSecret();
  const ownSecret = (url: string, secret = shared): string => receiverSecrets(keysOf(secret), new URL(url))[0] ?? '';
  const signed = (url: string, ...secrets: string[]) =>
    createWebhookSigner(keysOf(...secrets))({ id, url, body: '{}' });
  const isBelieved = (secret: string, headers: Record<string, string>): boolean => {
    try {
      new Webhook(secret).verify('{}', headers);
      return true;
    } catch (error) {
      if (error instanceof WebhookVerificationError) return false;
      throw error;
    }
  };

  it('is accepted with its own secret and the shared one, but not with that of another receiver', async () => {
    const headers = await signed(URL_OF_A, shared);
    expect(headers['webhook-audience']).toBe('https://a.example');
    expect(isBelieved(shared, headers)).toBe(true);
    expect(isBelieved(ownSecret('https://a.example'), headers)).toBe(true);
    for (const other of ['https://b.example', 'http://a.example', 'https://a.example:8443', 'https://x.a.example']) {
      expect(isBelieved(ownSecret(other), headers), other).toBe(false);
    }
  });

  it('cannot be forged for others by the holder of its own secret', async () => {
    const forged = await signed('https://b.example/', ownSecret(URL_OF_A));
    expect(isBelieved(ownSecret('https://b.example'), forged)).toBe(false);
    expect(isBelieved(shared, forged)).toBe(false);
  });

  it('is accepted with the secrets of both keys during a rotation', async () => {
    const young = aSecret();
    const headers = await signed('https://A.example:443/other', young, shared);
    expect(isBelieved(ownSecret(URL_OF_A, young), headers)).toBe(true);
    expect(isBelieved(ownSecret(URL_OF_A, shared), headers)).toBe(true);
  });
});

it('sends an ID and no signature without a secret', async () => {
  expect(await createWebhookSigner([])({ id, url: URL_OF_A, body: '{}' })).toEqual({ 'webhook-id': id });
});

describe('a secret', () => {
  it.each([24, 32, 33, 64])('of %i bytes is accepted, with and without padding', (bytes) => {
    const key = randomBytes(bytes);
    const text = `whsec_${key.toString('base64')}`;
    expect(parseWebhookSecret(text)?.equals(key)).toBe(true);
    expect(parseWebhookSecret(text.replace(/(?<!=)=+$/, ''))?.equals(key)).toBe(true);
  });

  const good = randomBytes(32).toString('base64');
  it.each([
    ['nothing', ''],
    ['no prefix', good],
    ['another prefix', `whpk_${good}`],
    ['no key', 'whsec_'],
    ['a short key', `whsec_${randomBytes(23).toString('base64')}`],
    ['a long key', `whsec_${randomBytes(65).toString('base64')}`],
    ['what is no base64', `whsec_${good.slice(0, 20)}!${good.slice(20)}`],
    ['base64 of URLs', 'whsec_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_8'],
    ['a space', `whsec_ ${good}`],
  ])('that is %s is none', (_case, text) => expect(parseWebhookSecret(text)).toBeUndefined());
});
