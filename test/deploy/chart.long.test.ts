import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { helm, kedaDefinitions, kubernetesSchema } from '../helpers/kubernetes.ts';
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
const OWN_AUTHORITY = { ...NEEDED.temporal, tls: { enabled: true, caSecret: 'authority' } };
const MORE = {
  ...NEEDED,
  codec: { port: 9470, from: [{ podSelector: { matchLabels: { app: 'ingress' } } }] },
  settings: { NODE_EXTRA_CA_CERTS: '/etc/authorities/own.pem', TEMPORAL_METRICS_PORT: '9466' },
  extraVolumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
  extraMounts: [{ name: 'authorities', mountPath: '/etc/authorities', readOnly: true }],
};
const WAYS = {
  'as little as it needs': NEEDED,
  'Temporal Cloud': CLOUD,
  'mutual TLS, and a shared folder': MUTUAL_TLS,
  'encryption, and certificates of its own': MORE,
};

interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly containers: readonly {
    readonly securityContext: object;
    readonly env: readonly { readonly name: string; readonly value?: string }[];
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly volumeMounts: readonly object[];
  }[];
  readonly volumes: readonly object[];
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

function ingressOf(
  objects: readonly KubernetesObject[],
  policy: string,
): readonly { readonly from: readonly object[]; readonly ports: readonly { readonly port: number }[] }[] {
  const [found] = objects.filter(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === policy);
  return found?.spec['ingress'] as ReturnType<typeof ingressOf>;
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

  it('lets no pod run as root, write to its image, gain privileges or call Kubernetes', async () => {
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

  it('restricts egress to the engines to named destinations and rejects a rule without one', async () => {
    const objects = await renderChart(program, NEEDED);
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
    const rules = policies.flatMap(({ spec }) => (spec['egress'] ?? []) as readonly { to?: readonly object[] }[]);
    expect(rules.length).toBeGreaterThan(2);
    for (const { to = [] } of rules) expect(to).not.toHaveLength(0);
    const everywhere = { ...NEEDED, networkPolicy: { engines: [{ ports: [{ port: 7233 }] }] } };
    await expect(renderChart(program, everywhere)).rejects.toThrow(/engines/);
  });

  it('gives each worker its roles, and fetchers half an hour to stop', async () => {
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

  it('contains references to secrets, and no secret', async () => {
    const objects = await renderChart(program, CLOUD);
    expect(objects.map(({ kind }) => kind)).not.toContain('Secret');
    const variables = Object.values(podsOf(objects)).flatMap(({ containers }) => containers[0]?.env ?? []);
    const secret = /SECRET|TOKEN|PASSWORD|_KEYS?$|ACCESS_KEY|_URI$|YTDLP_PROXY|_ARGS$/;
    const told = variables.filter(({ name, value }) => secret.test(name) && value !== undefined);
    expect(told).toEqual([]);
    const needed = ['TEMPORAL_API_KEY', 'MONGODB_URI', 'PAYLOAD_KEYS', 'CODEC_TOKEN'];
    expect(variables.map(({ name }) => name)).toEqual(expect.arrayContaining(needed));
  });

  it('reads the backlog of each queue from Temporal Cloud with its API key', async () => {
    const scaled = (await renderChart(program, CLOUD)).filter(({ kind }) => kind === 'ScaledObject');
    const triggers = scaled.flatMap(
      ({ spec }) => spec['triggers'] as { metadata: Record<string, string>; authenticationRef: { name: string } }[],
    );
    const { workers } = parse(await readFile(`${CHART}/values.yaml`, 'utf8')) as {
      readonly workers: Readonly<Record<string, { readonly autoscaling: { readonly queues: object } }>>;
    };
    const queues = Object.values(workers).flatMap(({ autoscaling }) => Object.keys(autoscaling.queues));
    expect(triggers.map(({ metadata }) => metadata['taskQueue']).sort()).toEqual(
      queues.map((queue) => `tapedeck${queue}`).sort(),
    );
    for (const { authenticationRef } of triggers) expect(authenticationRef.name).toBe('media-temporal');
  });

  it('opens the port of the codec server only if it is enabled, and only to its allowed clients', async () => {
    const objects = await renderChart(program, MORE);
    const [api] = podsOf(objects)['media-api']?.containers ?? [];
    expect(api?.env).toContainEqual({ name: 'CODEC_PORT', value: '9470' });
    expect(api?.ports).toContainEqual({ name: 'codec', containerPort: 9470 });
    const [service] = objects.filter(({ kind }) => kind === 'Service');
    expect(service?.spec['ports']).toContainEqual({ name: 'codec', port: 9470, targetPort: 'codec' });
    expect(ingressOf(objects, 'media-api')).toContainEqual({ from: MORE.codec.from, ports: [{ port: 9470 }] });
    expect(JSON.stringify(await renderChart(program, NEEDED))).not.toMatch(/CODEC_PORT|"codec"/);
  });

  it("lets Prometheus read the metrics of Temporal's SDK if they are enabled", async () => {
    const of = (port: number) => ({ workers: { fetchers: { settings: { TEMPORAL_METRICS_PORT: String(port) } } } });
    const portsOf = async (values: object) =>
      ingressOf(await renderChart(program, values), 'media').flatMap(({ ports }) => ports.map(({ port }) => port));
    expect(await portsOf(NEEDED)).toEqual([9464, 9465]);
    expect(await portsOf(MORE)).toEqual([9464, 9465, 9466]);
    expect(await portsOf({ ...MORE, ...of(9467) })).toEqual([9464, 9465, 9466, 9467]);
    const { 'media-fetchers': pod } = podsOf(await renderChart(program, { ...MORE, ...of(9467) }));
    expect(pod?.containers[0]?.ports).toContainEqual({ name: 'sdk-metrics', containerPort: 9467 });
  });

  it.each(['20261126', '0123', '1e3', '1_000', 'true', 'null', '~', '0x1F', '2026-11-26', ' a: b # c'])(
    'keeps the text %j of a setting, a label and names',
    async (text) => {
      const name = text.trim().replaceAll(/[^\w-]/g, '-');
      const objects = await renderChart(program, {
        ...MUTUAL_TLS,
        files: { store: 'disk', claim: name },
        settings: { WORKER_BUILD_ID: text },
        podLabels: { team: name },
        workers: { speech: { settings: { WORKER_DEPLOYMENT_NAME: text } } },
        autoscaling: { enabled: false },
      });
      for (const [kind, { containers, volumes }] of Object.entries(podsOf(objects))) {
        expect(containers[0]?.env).toContainEqual({ name: 'WORKER_BUILD_ID', value: text });
        if (kind === 'media-speech')
          expect(containers[0]?.env).toContainEqual({ name: 'WORKER_DEPLOYMENT_NAME', value: text });
        expect(volumes).toContainEqual({ name: 'data', persistentVolumeClaim: { claimName: name } });
      }
      expect(objects.flatMap(check)).toEqual([]);
    },
  );

  it.each(['20261126', '0123', '1e3', 'true', 'null', '[a]'])(
    'refuses %s without quotes, which YAML reads as something other than a text',
    async (bare) => {
      for (const name of ['settings', 'podLabels', 'nodeSelector']) {
        const values = `${JSON.stringify(NEEDED).slice(0, -1)},"${name}":{"NAME":${bare}}}`;
        await expect(renderChart(program, values), name).rejects.toThrow(/NAME.* want string/s);
      }
    },
  );

  it('mounts additional volumes into every pod', async () => {
    for (const { containers, volumes } of Object.values(podsOf(await renderChart(program, MORE)))) {
      expect(containers[0]?.volumeMounts).toEqual(expect.arrayContaining(MORE.extraMounts));
      expect(volumes).toEqual(expect.arrayContaining(MORE.extraVolumes));
    }
  });

  it.each([
    ['a secret among the settings', { ...NEEDED, settings: { RPC_TOKEN: 'told to everybody' } }, /RPC_TOKEN/],
    ['files on a disk that pods do not share', { ...NEEDED, files: { store: 'disk' } }, /claim/],
    ['an image that changes', { ...NEEDED, image: { repository: 'tapedeck', tag: 'latest' } }, /tag/],
    ['a role that there is not', { ...NEEDED, workers: { speech: { roles: ['talk'] } } }, /roles/],
    ['no secret at all', { ...NEEDED, existingSecret: '' }, /existingSecret/],
    ['a key among the settings', { ...NEEDED, settings: { PAYLOAD_KEYS: 'a:AAAA' } }, /PAYLOAD_KEYS/],
    ['autoscaling by TLS of which KEDA has no part', { ...MUTUAL_TLS, temporal: OWN_AUTHORITY }, /speaks no TLS/],
    ['autoscaling of versions', { ...CLOUD, settings: { WORKER_DEPLOYMENT: 'tapedeck' } }, /WORKER_DEPLOYMENT goes/],
    [
      'autoscaling of versions of one kind of worker',
      { ...CLOUD, workers: { speech: { settings: { WORKER_DEPLOYMENT: 'tapedeck' } } } },
      /WORKER_DEPLOYMENT goes/,
    ],
  ])('refuses %s', async (_, values, reason) => {
    await expect(renderChart(program, values)).rejects.toThrow(reason);
  });

  it('accepts a deployment version and a private certificate authority without autoscaling', async () => {
    const settings = { WORKER_DEPLOYMENT: 'tapedeck' };
    expect(await renderChart(program, { ...NEEDED, temporal: OWN_AUTHORITY, settings })).toBeDefined();
  });
});
