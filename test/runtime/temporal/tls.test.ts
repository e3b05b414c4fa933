import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TlsOptions } from 'node:tls';
import { NativeConnection } from '@temporalio/worker';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { loadConfig } from '../../../config.ts';
import { connectionOptions } from '../../../runtime/temporal/temporal-client.ts';
import { openTemporal } from '../../../runtime/temporal/temporal-client.ts';
import { openMongo } from '../../../store/mongo/mongo-client.ts';
import { temporalSettingsOf } from '../../../store/mongo/reach-engines.ts';

type Certificate = Awaited<ReturnType<typeof generate>>;
const NAME = 'engine.internal';

const closing: (() => void)[] = [];
let folder: string;
/** Files of the authority, of a client that it knows, and of one that it does not. */
let files: Readonly<Record<'ca' | 'cert' | 'key' | 'both' | 'strangerCert' | 'strangerKey', string>>;
let temporalPort: number;
let mongoPort: number;
let otherNamePort: number;

async function authority(name: string): Promise<Certificate> {
  return generate([{ name: 'commonName', value: name }], {
    ...{ keyType: 'ec', algorithm: 'sha256' },
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
}

async function signed(
  name: string,
  by: Certificate,
  use: 'serverAuth' | 'clientAuth',
  ip?: string,
): Promise<Certificate> {
  return generate([{ name: 'commonName', value: name }], {
    ...{ keyType: 'ec', algorithm: 'sha256' },
    ca: { key: by.private, cert: by.cert },
    extensions: [
      { name: 'extKeyUsage', [use]: true },
      {
        name: 'subjectAltName',
        altNames: [{ type: 2, value: name }, ...(ip === undefined ? [] : [{ type: 7 as const, ip }])],
      },
    ],
  });
}

/** An engine that speaks TLS and asks for certificates: a door with a lock before one that does not. */
async function lockedDoor(options: TlsOptions, target: { port: number } | { path: string }): Promise<number> {
  const server = createServer(
    { ...options, requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] },
    (outside) => {
      const inside = connect(target);
      outside.pipe(inside).pipe(outside);
      for (const [one, other] of [
        [outside, inside],
        [inside, outside],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
      }
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-tls-'));
  const [ca, elsewhere] = [await authority('Our authority'), await authority('Another one')];
  const server = await signed(NAME, ca, 'serverAuth', '127.0.0.1');
  const otherName = await signed(NAME, ca, 'serverAuth');
  const client = await signed('tapedeck', ca, 'clientAuth');
  const stranger = await signed('stranger', elsewhere, 'clientAuth');
  const keep = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  files = {
    ca: await keep('ca.pem', ca.cert),
    cert: await keep('client.pem', client.cert),
    key: await keep('client-key.pem', client.private),
    both: await keep('both.pem', `${client.cert}\n${client.private}`),
    strangerCert: await keep('stranger.pem', stranger.cert),
    strangerKey: await keep('stranger-key.pem', stranger.private),
  };
  const temporal = { port: Number(inject('temporalAddress').split(':').at(-1)) };
  const lock = { ca: ca.cert, cert: server.cert, key: server.private };
  temporalPort = await lockedDoor(lock, temporal);
  otherNamePort = await lockedDoor({ ca: ca.cert, cert: otherName.cert, key: otherName.private }, temporal);
  const mongo = decodeURIComponent(/^mongodb:\/\/([^/]+)/.exec(inject('mongodbUri'))?.[1] ?? '');
  mongoPort = await lockedDoor(
    lock,
    mongo.startsWith('/') ? { path: mongo } : { port: Number(mongo.split(':').at(-1)) },
  );
});
afterAll(async () => {
  for (const close of closing) close();
  await rm(folder, { recursive: true, force: true });
});

const configOf = (port: number, env: Readonly<Record<string, string | undefined>>) => ({
  ...loadConfig({ TEMPORAL_TLS_SERVER_NAME: NAME, ...env }),
  TEMPORAL_ADDRESS: `127.0.0.1:${String(port)}`,
  MONGODB_URI: '',
});
const ours = () => ({
  TEMPORAL_TLS_CA_FILE: files.ca,
  TEMPORAL_TLS_CERT_FILE: files.cert,
  TEMPORAL_TLS_KEY_FILE: files.key,
});

describe('Temporal behind TLS with client certificates', () => {
  it.each([
    ['by its address', () => temporalPort, { TEMPORAL_TLS_SERVER_NAME: undefined }],
    ['by another name than its address', () => otherNamePort, {}],
  ])('is reached %s by api and worker', async (how, port, more) => {
    if (how === 'by its address' && Number(process.versions.node.split('.')[0]) >= 26) {
      await expect(temporalSettingsOf(configOf(port(), { ...ours(), ...more }))).rejects.toThrow(
        /^TEMPORAL_TLS_SERVER_NAME: needed/,
      );
      return;
    }
    const settings = await temporalSettingsOf(configOf(port(), { ...ours(), ...more }));
    const { client, close } = await openTemporal(settings);
    expect((await client.workflowService.getSystemInfo({})).capabilities).toBeDefined();
    await close();
    const connection = await NativeConnection.connect(connectionOptions(settings));
    await connection.close();
  });

  // Side by side: each is tried again for ten seconds.
  it.concurrent.each([
    ['without our certificate', () => ({ TEMPORAL_TLS_CA_FILE: files.ca })],
    [
      'with a certificate of another authority',
      () => ({ ...ours(), TEMPORAL_TLS_CERT_FILE: files.strangerCert, TEMPORAL_TLS_KEY_FILE: files.strangerKey }),
    ],
    ['without the private authority', () => ({ TEMPORAL_TLS: 'true' })],
    ['without TLS', () => ({ TEMPORAL_TLS_SERVER_NAME: undefined })],
  ])('is not reached %s', async (_how, env) => {
    const settings = await temporalSettingsOf(configOf(temporalPort, env()));
    await expect(openTemporal(settings)).rejects.toThrow(/^TEMPORAL_ADDRESS: /);
  });

  it('is not looked for when a file is missing: the error names the setting', async () => {
    const config = configOf(temporalPort, { ...ours(), TEMPORAL_TLS_CA_FILE: join(folder, 'nothing.pem') });
    await expect(temporalSettingsOf(config)).rejects.toThrow(/^TEMPORAL_TLS_CA_FILE: /);
  });
});

describe('MongoDB behind TLS with client certificates', () => {
  const open = (options: Readonly<Record<string, string>>) =>
    openMongo({
      uri: `mongodb://127.0.0.1:${String(mongoPort)}/?${new URLSearchParams({ directConnection: 'true', ...options }).toString()}`,
      database: 'tls',
      timeoutMs: 3_000,
    });

  it('is reached by the options of its URI', async () => {
    const mongo = open({ tls: 'true', tlsCAFile: files.ca, tlsCertificateKeyFile: files.both });
    await mongo.ping();
    await mongo.close();
  });

  it('is not reached without our certificate', async () => {
    const mongo = open({ tls: 'true', tlsCAFile: files.ca });
    await expect(mongo.ping()).rejects.toThrow();
    await mongo.close();
  });
});
