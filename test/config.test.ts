import { describe, expect, it } from 'vitest';
import { ConfigError } from '../config-values.ts';
import { loadConfig, requireSettings } from '../config.ts';

describe('the configuration', () => {
  it('needs nothing, listens on loopback and allows no private webhook target', () => {
    const config = loadConfig({});
    expect(config).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 3000,
      RPC_PORT: 3001,
      PUBLIC_URL: 'http://127.0.0.1:3000',
    });
    expect(config.WEBHOOK_ALLOWED_NETWORKS.check('127.0.0.1')).toBe(false);
    expect(Object.isFrozen(config)).toBe(true);
  });

  it.each([
    ['PORT', 'x'],
    ['PORT', '70000'],
    ['RATE_LIMIT_PER_MINUTE', '0'],
    ['LINK_SECRET', 'short'],
    ['LINK_SECRET', `${'s'.repeat(40)},short`],
    ['LINK_SECRET', ','],
    ['MONGODB_URI', 'postgres://x'],
    ['VIDNET_VIDEO_URL', 'https://example.com/watch'],
    ['WEBHOOK_ALLOWED_NETWORKS', 'example.com'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/33'],
    ['MEDIA_ALLOWED_NETWORKS', '10.0.0.0'],
    ['WEBHOOK_SECRETS', 'whsec_c2hvcnQ='],
    ['WEBHOOK_SECRETS', 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz'],
    ['IMGNET_API_URL', 'api.example'],
    ['IMGNET_DATASET_POSTS', 'gd posts'],
    ['FILES_STORE', 'tape'],
    ['S3_ENDPOINT', 's3.example'],
    ['S3_PREFIX', 'with space/'],
    ['RETENTION_DAYS', '0'],
    ['MIN_FREE_BYTES', '-1'],
    ['PRICE_LIST_ITEM', '1'],
    ['ALLOW_ANONYMOUS', 'perhaps'],
    ['PRICE_AUDIO', '0.5'],
    ['HOST', '0.0.0.0'],
    ['RPC_TOKEN', 'short'],
    ['TRUSTED_PROXIES', 'proxy.example'],
    ['METRICS_HOST', 'localhost'],
    ['API_METRICS_PORT', '3000'],
    ['WORKER_METRICS_PORT', '3001'],
    ['TEMPORAL_METRICS_PORT', '0'],
    ['TRACES_URL', 'collector:4318'],
    ['WORKER_ROLES', 'vidnet,dish-washer'],
    ['WORKER_ROLES', ','],
  ])('refuses %s=%s and names it', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => loadConfig({ [name]: value })).toThrow(name);
  });

  it('gives a worker all roles by default, or the listed ones', () => {
    expect(loadConfig({}).WORKER_ROLES).toEqual(['workflows', 'vidnet', 'imgnet', 'media', 'speech', 'webhooks']);
    expect(loadConfig({ WORKER_ROLES: 'speech, webhooks' }).WORKER_ROLES).toEqual(['speech', 'webhooks']);
  });

  it('treats empty settings as absent', () => {
    expect(loadConfig({ PORT: '', MONGODB_URI: '' }).PORT).toBe(3000);
  });

  it('requires API keys beyond loopback, unless ALLOW_ANONYMOUS says otherwise', () => {
    const allows = (env: Record<string, string>) => loadConfig(env).allowsAnonymous;
    expect(allows({})).toBe(true);
    expect(allows({ ALLOW_ANONYMOUS: 'false' })).toBe(false);
    expect(allows({ HOST: '0.0.0.0', PUBLIC_URL: 'http://127.0.0.1' })).toBe(false);
    expect(allows({ HOST: '0.0.0.0', PUBLIC_URL: 'http://127.0.0.1', ALLOW_ANONYMOUS: 'true' })).toBe(true);
  });

  it.each([
    { PUBLIC_URL: 'https://api.example' },
    { PUBLIC_URL: 'https://localhost.example' },
    { PUBLIC_URL: 'http://10.0.0.5:3000' },
    { DRIVE_URL: 'https://files.example' },
    { TRUSTED_PROXIES: '127.0.0.1/32' },
  ])('asks for API keys where others are led to its loopback, unless it is told otherwise: %j', (env) => {
    expect(loadConfig(env).allowsAnonymous).toBe(false);
    expect(loadConfig({ ...env, ALLOW_ANONYMOUS: 'true' }).allowsAnonymous).toBe(true);
  });

  it.each([
    { HOST: '::1' },
    { HOST: 'localhost' },
    { HOST: '127.0.0.5' },
    { PUBLIC_URL: 'http://127.9.9.9:3000' },
    { PUBLIC_URL: 'http://[::1]:3000', DRIVE_URL: 'http://LOCALHOST:3001/' },
  ])('asks for none while nothing but loopback leads to it: %j', (env) => {
    expect(loadConfig(env)).toMatchObject({ allowsAnonymous: true, isLoopback: true });
  });

  it('accepts several link secrets and shows none of them when one is invalid', () => {
    const [one, two] = ['s'.repeat(32), 't'.repeat(40)];
    expect(loadConfig({ LINK_SECRET: one }).LINK_SECRET).toEqual([one]);
    expect(loadConfig({ LINK_SECRET: `${one}, ${two},` }).LINK_SECRET).toEqual([one, two]);
    expect(() => loadConfig({ LINK_SECRET: `${one},hunter2` })).toThrow(/^LINK_SECRET: at least 32 characters each$/);
  });

  it('requires PUBLIC_URL when the api listens on all addresses', () => {
    const wider = { HOST: '0.0.0.0' };
    expect(loadConfig({ ...wider, PUBLIC_URL: 'https://api.example/' }).PUBLIC_URL).toBe('https://api.example');
    expect(() => loadConfig(wider)).toThrow('PUBLIC_URL');
  });

  it('names a required setting that is missing', () => {
    const names = ['TEMPORAL_ADDRESS', 'MONGODB_URI'] as const;
    expect(() => requireSettings(loadConfig({}), names)).toThrow(/TEMPORAL_ADDRESS.*\n.*MONGODB_URI/);
  });

  it('keeps files on disk, or in a bucket whose settings are complete', () => {
    expect(loadConfig({ DATA_DIR: '/data' }).files).toEqual({ kind: 'disk', root: '/data/files' });
    const key = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
    const bucket = { FILES_STORE: 's3', S3_ENDPOINT: 'https://s3.example', S3_BUCKET: 'media', ...key };
    expect(loadConfig(bucket).files).toEqual({
      ...{ kind: 's3', endpoint: 'https://s3.example', bucket: 'media', prefix: 'files/', region: 'us-east-1' },
      ...{ accessKeyId: 'id', secretAccessKey: 'secret', forcePathStyle: true },
    });
    for (const name of ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']) {
      expect(() => loadConfig({ ...bucket, [name]: '' })).toThrow(new RegExp(`^${name}: needed with FILES_STORE=s3`));
    }
    expect(() => loadConfig({ FILES_STORE: 's3' })).toThrow(/S3_ENDPOINT.*\n.*S3_BUCKET.*\n.*S3_ACCESS_KEY_ID/);
  });

  it('has the URLs of the photo platform without a trailing slash', () => {
    const local = 'http://127.0.0.1:4000';
    const config = loadConfig({ IMGNET_API_URL: `${local}/`, IMGNET_PLATFORM_URL: `${local}/` });
    expect([config.IMGNET_API_URL, config.IMGNET_PLATFORM_URL]).toEqual([local, local]);
    expect(config.platforms.imgnetHosts).toEqual(['127.0.0.1:4000']);
    expect(loadConfig({}).IMGNET_API_TOKEN).toBeUndefined();
  });

  it('accepts several webhook secrets and shows none of them when one is invalid', () => {
    const [one, two] = ['whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz', 'whsec_OTg3NjU0MzIxMDk4NzY1NDMyMTA5ODc2'];
    const { WEBHOOK_SECRETS: webhookKeys } = loadConfig({ WEBHOOK_SECRETS: ` ${one} ,${two},` });
    expect(webhookKeys.map((key) => Buffer.from(key).toString())).toEqual([
      '012345678901234567890123',
      '987654321098765432109876',
    ]);
    expect(loadConfig({}).WEBHOOK_SECRETS).toEqual([]);
    expect(() => loadConfig({ WEBHOOK_SECRETS: `${one},whsec_hunter2` })).toThrow(/number 2 is not whsec_(?!hunter2)/);
  });

  it('allows the networks that it lists', () => {
    const { WEBHOOK_ALLOWED_NETWORKS: networks } = loadConfig({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8, ::1/128' });
    expect(networks.check('127.9.9.9')).toBe(true);
    expect(networks.check('::1', 'ipv6')).toBe(true);
    expect(networks.check('10.0.0.1')).toBe(false);
  });
});
