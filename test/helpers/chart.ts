import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { schemaCheck } from './json-schema.ts';
import { ROOT } from './markdown.ts';

export const CHART = `${ROOT}deploy/helm/tapedeck`;

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}
interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}
interface Definition {
  readonly 'x-kubernetes-group-version-kind'?: readonly Kind[];
}

/** @param values as in values.yaml, or its text. @throws with what Helm says, as when its schema of the values is not kept */
export async function renderChart(helm: string, values: object | string): Promise<KubernetesObject[]> {
  const given = promisify(execFile)(helm, ['template', 'media', CHART, '--namespace', 'media', '--values', '-'], {
    maxBuffer: 16 * 1024 ** 2,
  });
  given.child.stdin?.end(typeof values === 'string' ? values : JSON.stringify(values));
  const { stdout } = await given;
  return parseAllDocuments(stdout).flatMap((one) => (one.toJS() as KubernetesObject | null) ?? []);
}

/**
 * @param kubernetes its schema
 * @param kedaFolder of KEDA's definitions
 * @returns what is wrong with an object, which must be of a kind that one of them knows
 */
export function objectCheck(kubernetes: object, kedaFolder: string): (object: KubernetesObject) => string[] {
  const { $defs } = kubernetes as { readonly $defs: Readonly<Record<string, Definition>> };
  const names = new Map(
    Object.entries($defs).flatMap(([name, { 'x-kubernetes-group-version-kind': kinds = [] }]) =>
      kinds.map(({ group, version, kind }) => [`${group === '' ? '' : `${group}/`}${version} ${kind}`, name] as const),
    ),
  );
  return (object) => {
    const { apiVersion, kind } = object;
    const name = names.get(`${apiVersion} ${kind}`);
    if (name !== undefined) return schemaCheck(kubernetes, { at: `#/$defs/${name}` })(object);
    if (apiVersion !== 'keda.sh/v1alpha1') return [`nobody knows ${apiVersion} ${kind}`];
    const file = join(kedaFolder, `keda.sh_${kind.toLowerCase()}s.yaml`);
    const { spec } = parse(readFileSync(file, 'utf8')) as {
      spec: { versions: { schema: { openAPIV3Schema: object } }[] };
    };
    return schemaCheck(closed(spec.versions[0]?.schema.openAPIV3Schema ?? {}) as object)(object);
  };
}

/** What a definition does not name, Kubernetes removes without a word: here it is a mistake. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isClosed = 'properties' in inner && !('additionalProperties' in inner) && inner['type'] === 'object';
  return isClosed ? { ...inner, additionalProperties: false } : inner;
}
