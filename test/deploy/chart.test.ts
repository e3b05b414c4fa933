import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settings } from '../../config.ts';
import { CHART } from '../helpers/chart.ts';
import { readJson } from '../helpers/json-schema.ts';

interface Values {
  readonly optionalSecrets: readonly string[];
  readonly workers: Readonly<Record<string, { readonly roles: readonly string[]; readonly settings: object }>>;
}

const values = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as Values;
const templates = readdirSync(`${CHART}/templates`).map((name) => readFileSync(`${CHART}/templates/${name}`, 'utf8'));
describe('the chart', () => {
  it('names only settings that there are', () => {
    const named = templates.flatMap((text) =>
      [...text.matchAll(/"?\bname"?:? "?([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)*|HOST)\b/g)].map(([, name = '']) => name),
    );
    const all = [
      ...named,
      ...values.optionalSecrets,
      ...Object.values(values.workers).flatMap((one) => Object.keys(one.settings)),
    ];
    expect(named).toEqual(expect.arrayContaining(['WORKER_METRICS_PORT', 'RPC_TOKEN', 'TEMPORAL_API_KEY']));
    expect(all.filter((name) => !(name in settings.shape))).toEqual([]);
  });

  it('has workers for each role once', () => {
    const { definitions } = readJson(`${CHART}/values.schema.json`) as {
      readonly definitions: { readonly role: { readonly enum: readonly string[] } };
    };
    const roles = Object.values(values.workers).flatMap((one) => one.roles);
    expect(roles.toSorted()).toEqual(definitions.role.enum.toSorted());
  });
});
