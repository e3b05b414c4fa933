import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config.ts';
import { createPayloadCodec, type PayloadKey } from '../../../runtime/temporal/payload-codec.ts';
import { payloadConverter } from '../../../workflows/payload-converter.ts';

const aKey = (id: string): PayloadKey => ({ id, key: randomBytes(32) });
const [old, current] = [aKey('2025'), aKey('2026')];
const codecOf = (first: PayloadKey | undefined, ...others: PayloadKey[]) =>
  createPayloadCodec({ current: first, all: [...(first ? [first] : []), ...others] });
const value = { url: 'https://example.com/hook?token=secret', text: 'x'.repeat(10_000) };
const payload = defaultPayloadConverter.toPayload(value);
const valueOf = (decoded: readonly Payload[]): unknown => defaultPayloadConverter.fromPayload(decoded[0]!);

describe('payloads', () => {
  it('are encrypted by the first key, each time otherwise, and name it', async () => {
    const codec = codecOf(current, old);
    const encoded = await codec.encode([payload, payload]);
    const texts = encoded.map(({ data }) => Buffer.from(data!).toString('latin1'));
    expect(texts.join()).not.toContain('example.com');
    expect(texts[0]).not.toBe(texts[1]);
    expect(encoded.map(({ metadata }) => String(metadata?.['encryption-key-id']))).toEqual(['2026', '2026']);
    expect(valueOf(await codec.decode(encoded))).toEqual(value);
  });

  it.each([
    ['with an older key', codecOf(old)],
    ['in clear', codecOf(undefined)],
  ])('that were written %s are read', async (_how, before) => {
    expect(valueOf(await codecOf(current, old).decode(await before.encode([payload])))).toEqual(value);
  });

  it('can be read by keys that do not write yet', async () => {
    const first = codecOf(undefined, current);
    expect(await first.encode([payload])).toEqual([payload]);
    expect(valueOf(await first.decode(await codecOf(current).encode([payload])))).toEqual(value);
  });

  it('whose key is missing are an error that names the setting, and are not taken for wrong input', async () => {
    const encoded = await codecOf(current).encode([payload]);
    await expect(codecOf(old).decode(encoded)).rejects.toThrow('PAYLOAD_KEYS: there is no key "2026"');
    expect(() => payloadConverter.fromPayload(encoded[0]!)).toThrow('binary/encrypted');
  });

  it.each([
    ['changed', (data: Uint8Array) => data.map((byte, index) => (index === 20 ? byte ^ 1 : byte))],
    ['cut', (data: Uint8Array) => data.subarray(0, 20)],
    ['empty', () => new Uint8Array()],
  ])('that somebody has %s are refused like all that cannot be read', async (_how, change) => {
    const codec = codecOf(current);
    const [encoded] = await codec.encode([payload]);
    const [decoded] = await codec.decode([{ ...encoded, data: change(encoded!.data!) }]);
    expect(payloadConverter.fromPayload(decoded!)).toBeUndefined();
  });
});

describe('PAYLOAD_KEYS', () => {
  const base64 = randomBytes(32).toString('base64');
  it.each([
    ['', undefined, []],
    [`a:${base64}`, 'a', ['a']],
    [`b.2:${base64}, a:${base64}`, 'b.2', ['b.2', 'a']],
    [`plain,a:${base64}`, undefined, ['a']],
  ])('%o encrypts with %s and decrypts with %o', (text, first, all) => {
    const { PAYLOAD_KEYS: payloadKeys } = loadConfig({ PAYLOAD_KEYS: text });
    expect(payloadKeys?.current?.id).toBe(first);
    expect(payloadKeys?.all.map(({ id }) => id) ?? []).toEqual(all);
  });

  it.each([
    ['a', /PAYLOAD_KEYS: number 1/],
    [`a:${base64},plain`, /PAYLOAD_KEYS: number 2/],
    [`a:${randomBytes(16).toString('base64')}`, /PAYLOAD_KEYS: number 1/],
    [`a:${base64},a:${base64}`, /PAYLOAD_KEYS: two/],
  ])('%o is refused, without showing it', (text, message) => {
    expect(() => loadConfig({ PAYLOAD_KEYS: text })).toThrow(message);
    expect(() => loadConfig({ PAYLOAD_KEYS: text })).not.toThrow(base64);
  });

  it.each([
    [{ CODEC_PORT: '8888' }, /CODEC_PORT: of no use without PAYLOAD_KEYS/],
    [{ CODEC_PORT: '8888', PAYLOAD_KEYS: `a:${base64}`, METRICS_HOST: '0.0.0.0' }, /CODEC_TOKEN: needed/],
    [{ TEMPORAL_TLS_CERT_FILE: '/c.pem' }, /TEMPORAL_TLS_CERT_FILE: of no use/],
  ])('with %o is refused', (env, message) => {
    expect(() => loadConfig(env)).toThrow(message);
  });
});
