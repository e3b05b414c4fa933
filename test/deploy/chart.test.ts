import { readdirSync, readFileSync } from 'node:fs';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import type { Activities } from '../../activities/create-activities.ts';
import { loadConfig, settings } from '../../config.ts';
import type { WorkerRole } from '../../runtime/temporal/worker-roles.ts';
import { DEFAULT_MODEL } from '../../speech/models/catalogue.ts';
import { findVoiceModels } from '../../speech/models/find-models.ts';
import { createSherpaEngine } from '../../speech/sherpa.ts';
import { engineKeyOf } from '../../speech/speech-engine.ts';
import { createWhisperEngine } from '../../speech/whisper.ts';
import { createWorkers } from '../../worker/create-workers.ts';
import { routesOf, routesOfRoles } from '../../pacing/routes.ts';
import { CHART } from '../helpers/chart.ts';
import { readJson } from '../helpers/json-schema.ts';
import { breakersOn } from '../helpers/breakers.ts';

interface Values {
  readonly optionalSecrets: readonly string[];
  readonly workers: Readonly<
    Record<
      string,
      {
        readonly roles: readonly WorkerRole[];
        readonly settings: Readonly<Record<string, string>>;
        readonly platformJobs?: Readonly<Record<string, number>>;
        readonly workSize: string;
        readonly autoscaling: { readonly max: number; readonly queues: Readonly<Record<string, number>> };
      }
    >
  >;
}
interface Schema {
  readonly definitions: {
    readonly role: { readonly enum: readonly string[] };
    readonly settings: { readonly propertyNames: { readonly not: { readonly pattern: string } } };
  };
}

const values = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as Values;
const { definitions } = readJson(`${CHART}/values.schema.json`) as Schema;
const templates = readdirSync(`${CHART}/templates`).map((name) => readFileSync(`${CHART}/templates/${name}`, 'utf8'));

/** The key of the engine that the image has without further models. */
async function imageEngineKey(): Promise<string> {
  const models = await findVoiceModels({ speechModelsDir: '/nonexistent' });
  if ('missing' in models) throw new Error(models.missing);
  const voices = createSherpaEngine({ models, workFolder: '/nonexistent', timeoutMs: 1, threads: 1 });
  const folders = { python: '', modelFolder: '', modelsDir: '', workFolder: '' };
  return engineKeyOf(
    createWhisperEngine({ model: DEFAULT_MODEL, languages: [], device: 'cpu', threads: 1, ...folders }, voices),
  );
}

/** The queues from which a worker of some roles takes tasks, with an API key of the video platform and the engine of the image. */
async function polledBy(roles: readonly WorkerRole[]): Promise<string[]> {
  const queues: string[] = [];
  const created = vi.spyOn(Worker, 'create').mockImplementation(({ taskQueue }: WorkerOptions) => {
    queues.push(taskQueue);
    return Promise.resolve(undefined as never);
  });
  onTestFinished(() => created.mockRestore());
  const routes = routesOfRoles(routesOf(loadConfig({ VIDNET_API_KEY: 'a-key' })), roles);
  const limits = { maxFetches: 4, maxSpeechWindows: 2, maxDeliveries: 100, shutdownGraceMs: 0 };
  const nothing = { records: {}, fetch: {}, speech: {}, deliver: {} } as Activities;
  await createWorkers({
    ...{
      roles,
      routes,
      breakers: breakersOn(),
      activities: nothing,
      bundle: undefined,
      namespace: 'default',
      taskQueue: '',
      ...limits,
    },
    connection: undefined as never,
    engineKey: await imageEngineKey(),
  });
  return queues;
}

describe('the chart', () => {
  it('names only settings that exist', () => {
    const named = templates.flatMap((text) =>
      [...text.matchAll(/"?\bname"?:? "?([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*)\b/g)].map(([, name = '']) => name),
    );
    const all = [
      ...named,
      ...values.optionalSecrets,
      ...Object.values(values.workers).flatMap((one) => Object.keys(one.settings)),
    ];
    expect(named).toEqual(expect.arrayContaining(['WORKER_METRICS_PORT', 'RPC_TOKEN', 'TEMPORAL_API_KEY']));
    expect(all.filter((name) => !(name in settings.shape))).toEqual([]);
  });

  it('has exactly one worker deployment for each role', () => {
    const roles = Object.values(values.workers).flatMap((one) => one.roles);
    expect(roles.toSorted()).toEqual(definitions.role.enum.toSorted());
  });

  it.each(Object.entries(values.workers))('adds %s by all the queues that they take tasks from', async (_, worker) => {
    const queues = await polledBy(worker.roles);
    expect(Object.keys(worker.autoscaling.queues).toSorted()).toEqual(queues.toSorted());
  });

  it('takes each secret from the Secret and not from plain settings', () => {
    const refused = new RegExp(definitions.settings.propertyNames.not.pattern);
    const secrets = [...values.optionalSecrets, 'LINK_SECRET', 'MONGODB_URI', 'RPC_TOKEN', 'TEMPORAL_API_KEY'];
    const names = Object.keys(settings.shape).filter((name) => refused.test(name));
    // A name, which is worth nothing without its secret.
    expect(names.toSorted()).toEqual(secrets.filter((name) => name !== 'S3_ACCESS_KEY_ID').toSorted());
    expect(['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'NO_PROXY'].filter((name) => refused.test(name))).toEqual([]);
  });

  it('divides the jobs of a platform by the maximum number of pods, which have a slot for each', () => {
    const { settings: own, autoscaling, platformJobs } = values.workers['fetchers']!;
    const slots = autoscaling.max * loadConfig(own).MAX_FETCHES;
    expect(platformJobs?.['VIDNET_MAX_JOBS']).toBe(slots);
    expect(Object.keys(platformJobs ?? {}).filter((name) => !(name in settings.shape))).toEqual([]);
    const template = readFileSync(`${CHART}/templates/workers.yaml`, 'utf8');
    expect(template).toContain('range $setting, $all := $worker.platformJobs');
    expect(template).toContain('max 1 (div (int $all) (max 1 $pods))');
  });

  it('gives fetchers disk space for the largest simultaneous downloads', () => {
    const { settings: own, workSize } = values.workers['fetchers']!;
    const { MAX_FETCHES, MAX_FILE_BYTES } = loadConfig(own);
    // What was fetched, and what is made of it.
    expect(Number.parseInt(workSize, 10) * 1024 ** 3).toBeGreaterThan(MAX_FETCHES * 2 * MAX_FILE_BYTES);
    expect(workSize).toMatch(/^\d+Gi$/);
  });
});
