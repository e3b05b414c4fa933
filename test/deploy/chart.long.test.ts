import { execFile } from 'node:child_process';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { helm } from '../../local/engines/helm.ts';
import { kedaDefinitions, kubernetesSchema } from '../../local/engines/kubernetes-schemas.ts';
import { ensure } from '../../local/engines/strategies.ts';
import { CHART, objectCheck, renderChart, type KubernetesObject } from '../helpers/chart.ts';

const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log: (line: string) => console.log(line) };
const NEEDED = {
  image: { repository: 'registry.example.com/tapedeck', digest: `sha256:${'a'.repeat(64)}` },
  existingSecret: 'tapedeck',
  publicUrl: 'https://media.example.com',
  temporal: { address: 'temporal.example.com:7233' },
  files: { endpoint: 'https://s3.example.com', bucket: 'media' },
};
const CLOUD = {
  ...NEEDED,
  temporal: {
    ...{ address: 'media.a1b2c.tmprl.cloud:7233', namespace: 'media.a1b2c' },
    apiKey: { secret: 'temporal-cloud', key: 'apiKey' },
  },
  autoscaling: { enabled: true },
};
const MUTUAL_TLS = {
  ...NEEDED,
  temporal: {
    ...NEEDED.temporal,
    tls: { enabled: true, serverName: 'temporal', clientSecret: 'client', caSecret: 'authority' },
  },
  files: { store: 'disk', claim: 'shared' },
  speech: { modelsClaim: 'models' },
  autoscaling: { enabled: true },
};
const WAYS = {
  'as little as it needs': NEEDED,
  'Temporal Cloud': CLOUD,
  'mutual TLS, and a shared folder': MUTUAL_TLS,
};

interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly containers: readonly {
    readonly securityContext: object;
    readonly env: readonly { readonly name: string; readonly value?: string }[];
  }[];
}

let program: string;
let check: (object: KubernetesObject) => string[];
beforeAll(async () => {
  program = (await ensure(helm(setup), setup.log)).value;
  check = objectCheck(await kubernetesSchema(setup), await kedaDefinitions(setup));
}, 1_800_000);

function podsOf(objects: readonly KubernetesObject[]): Record<string, Pod> {
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  return Object.fromEntries(
    deployments.map(({ metadata, spec }) => [metadata.name, (spec['template'] as { spec: Pod }).spec]),
  );
}

describe('the chart', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tapedeck-chart-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(Object.entries(WAYS))('for %s has no mistake that Helm finds', async (_, values) => {
    const file = join(folder, 'values.json');
    await writeFile(file, JSON.stringify(values));
    const { stdout } = await promisify(execFile)(program, ['lint', '--strict', CHART, '--values', file]);
    expect(stdout).toMatch(/1 chart\(s\) linted, 0 chart\(s\) failed/);
  });

  it.each(Object.entries(WAYS))('for %s makes objects that Kubernetes and KEDA know whole', async (_, values) => {
    const objects = await renderChart(program, values);
    expect(objects.length).toBeGreaterThan(10);
    expect(objects.flatMap((one) => check(one).map((wrong) => `${one.kind} ${one.metadata.name}${wrong}`))).toEqual([]);
    const [deployment] = objects.filter(({ kind }) => kind === 'Deployment');
    expect(check({ ...deployment!, spec: { ...deployment!.spec, replica: 1 } }).join()).toMatch(/\/spec .*"replica"/);
  });

  it('lets no pod be root, write to its image, gain rights, or talk to Kubernetes', async () => {
    for (const { automountServiceAccountToken, securityContext, containers } of Object.values(
      podsOf(await renderChart(program, MUTUAL_TLS)),
    )) {
      expect(automountServiceAccountToken).toBe(false);
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      for (const container of containers)
        expect(container.securityContext).toEqual({
          ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        });
    }
  });

  it('gives each worker its roles, and fetchers half an hour to end', async () => {
    const pods = podsOf(await renderChart(program, NEEDED));
    const rolesOf = (pod: Pod): string | undefined =>
      pod.containers[0]?.env.find(({ name }) => name === 'WORKER_ROLES')?.value;
    expect(Object.fromEntries(Object.entries(pods).map(([name, pod]) => [name, rolesOf(pod)]))).toEqual({
      'media-api': undefined,
      'media-fetchers': 'vidnet,imgnet,media',
      'media-speech': 'speech',
      'media-workflows': 'workflows,webhooks',
    });
    expect(pods['media-fetchers']?.terminationGracePeriodSeconds).toBeGreaterThan(1800);
  });

  it('holds no secret, only where each is', async () => {
    const objects = await renderChart(program, CLOUD);
    expect(objects.map(({ kind }) => kind)).not.toContain('Secret');
    const variables = Object.values(podsOf(objects)).flatMap(({ containers }) => containers[0]?.env ?? []);
    const secret = /SECRET|TOKEN|PASSWORD|API_KEY|ACCESS_KEY|_URI$/;
    const told = variables.filter(({ name, value }) => secret.test(name) && value !== undefined);
    expect(told).toEqual([]);
    expect(variables.map(({ name }) => name)).toEqual(expect.arrayContaining(['TEMPORAL_API_KEY', 'MONGODB_URI']));
  });

  it('asks Temporal Cloud with its key how many tasks wait in each queue', async () => {
    const scaled = (await renderChart(program, CLOUD)).filter(({ kind }) => kind === 'ScaledObject');
    const triggers = scaled.flatMap(
      ({ spec }) => spec['triggers'] as { metadata: Record<string, string>; authenticationRef: { name: string } }[],
    );
    expect(triggers.map(({ metadata }) => metadata['taskQueue']).sort()).toEqual(
      ['', '-fetch', '-route-imgnet', '-route-imgnet-media', '-route-vidnet', '-sites', '-speech', '-speech-steps']
        .concat('-webhooks')
        .map((queue) => `tapedeck${queue}`),
    );
    for (const { authenticationRef } of triggers) expect(authenticationRef.name).toBe('media-temporal');
  });

  it.each([
    ['a secret among the settings', { ...NEEDED, settings: { RPC_TOKEN: 'told to everybody' } }, /RPC_TOKEN/],
    ['files on a disk that pods do not share', { ...NEEDED, files: { store: 'disk' } }, /claim/],
    ['an image that changes', { ...NEEDED, image: { repository: 'tapedeck', tag: 'latest' } }, /tag/],
    ['a role that there is not', { ...NEEDED, workers: { speech: { roles: ['talk'] } } }, /roles/],
    ['no secret at all', { ...NEEDED, existingSecret: '' }, /existingSecret/],
  ])('refuses %s', async (_, values, reason) => {
    await expect(renderChart(program, values)).rejects.toThrow(reason);
  });
});
