import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../helpers/markdown.ts';
import { readJson, schemaCheck } from '../helpers/json-schema.ts';

interface Service {
  readonly [key: string]: unknown;
  readonly image: string;
  readonly command?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly mem_limit?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
}
interface Compose {
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
  readonly services: Readonly<Record<string, Service>> & { readonly worker: Service; readonly mongodb: Service };
}

const text = readFileSync(`${ROOT}docker-compose.yml`, 'utf8');
const compose = parse(text, { merge: true }) as Compose;
const check = schemaCheck(readJson(`${ROOT}test/fixtures/compose-spec/compose-spec.json`));
/** What `docker compose up --scale worker=2` makes of it. */
const scaled = { ...compose, services: { ...compose.services, worker: { ...compose.services.worker, scale: 2 } } };

describe('docker-compose.yml', () => {
  it('is valid with two workers', () => {
    expect(check(scaled)).toEqual([]);
    const wrong = {
      ...scaled,
      services: { ...scaled.services, worker: { ...scaled.services.worker, memlimit: '8g' } },
    };
    expect(check(wrong).join('\n')).toMatch(/^\/services\/worker .*memlimit/m);
  });

  it('gives a worker nothing that only one container can own', () => {
    const { worker } = compose.services;
    expect(worker.command).toEqual(['worker/main.ts']);
    for (const key of ['container_name', 'hostname', 'ports', 'mac_address']) expect(worker).not.toHaveProperty(key);
  });

  it('gives api and worker a MongoDB account that can read and write one database', () => {
    const { worker, mongodb } = compose.services;
    const uri = worker.environment?.['MONGODB_URI'] ?? '';
    expect(uri).toMatch(/^mongodb:\/\/tapedeck:\$\{MONGODB_APP_PASSWORD:\?[^}]+\}@mongodb:27017\/tapedeck\?/);
    expect(worker.environment?.['MONGODB_DATABASE']).toBe('tapedeck');
    const script = mongodb.healthcheck?.test.at(-1) ?? '';
    const [, roles] = /createUser\(\{ user: "tapedeck", pwd: [\w.]+, roles: (\[.*?\]) \}\)/.exec(script) ?? [];
    expect(roles).toBe('["readWrite"]');
    expect(Object.keys(worker.environment ?? {})).not.toContain('MONGODB_PASSWORD');
  });

  it('can publish the port of the codec server on loopback', () => {
    const [, port = ''] = /CODEC_PORT=(\d+)/.exec(text) ?? [];
    const changed = parse(text.replace('# - 127.0.0.1', '- 127.0.0.1'), { merge: true }) as Compose;
    expect(check(changed)).toEqual([]);
    expect(changed.services['api']?.ports).toEqual([
      ...(compose.services['api']?.ports ?? []),
      `127.0.0.1:${port}:${port}`,
    ]);
  });

  it('gives a worker the configured time to finish before it is killed', () => {
    const { environment, stop_grace_period: stop = '' } = compose.services.worker;
    const [, grace] = /^\$\{WORKER_GRACE_SECONDS:-(\d+)\}$/.exec(environment?.['SHUTDOWN_GRACE_SECONDS'] ?? '') ?? [];
    const [, most] = /^\$\{WORKER_STOP_SECONDS:-(\d+)\}s$/.exec(stop) ?? [];
    expect(Number(grace)).toBeGreaterThan(60);
    expect(Number(most)).toBeGreaterThan(Number(grace) + 10);
  });

  it('enables task queue fairness as in the test server', () => {
    const on = [{ value: true }];
    expect(parse(compose.configs['temporal-dynamic']?.content ?? '')).toMatchObject({
      ...{ 'matching.useNewMatcher': on, 'matching.enableFairness': on },
    });
  });

  it('configures the codec endpoint of the Web UI', () => {
    expect(compose.services['temporal-ui']?.environment).toMatchObject({
      TEMPORAL_CODEC_ENDPOINT: '${TEMPORAL_CODEC_ENDPOINT:-}',
      TEMPORAL_CODEC_INCLUDE_CREDENTIALS: 'true',
    });
  });

  it('limits the memory of all long-running containers', () => {
    const unlimited = Object.entries(compose.services).filter(
      ([, { mem_limit, restart }]) => restart === 'unless-stopped' && mem_limit === undefined,
    );
    expect(unlimited.map(([name]) => name)).toEqual([]);
  });
});
