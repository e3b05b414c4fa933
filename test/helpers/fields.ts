import { z } from 'zod';

interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** The fields of a schema as the tables of the docs write them: a path such as `video.comments[].text`, and a type. */
export function fieldsOf(schema: z.ZodType): [path: string, type: string][] {
  const { $defs: definitions = {}, ...root } = z.toJSONSchema(schema, { unrepresentable: 'any' }) as JsonSchema & {
    $defs?: Record<string, JsonSchema>;
  };
  const resolved = (one: JsonSchema): JsonSchema =>
    one.$ref === undefined ? one : resolved(definitions[one.$ref.split('/').at(-1) ?? ''] ?? {});
  const partsOf = (one: JsonSchema): readonly JsonSchema[] => (one.anyOf ?? one.oneOf ?? []).map(resolved);
  const typeOf = (one: JsonSchema): string => {
    const parts = partsOf(one);
    if (parts.length > 0) return [...new Set(parts.map(typeOf))].join(' or ');
    if (one.type === 'array') return `array of ${typeOf(resolved(one.items ?? {}))}`;
    return [one.type ?? 'any'].flat().join(' or ');
  };
  const fieldsBelow = (prefix: string, one: JsonSchema): [string, string][] =>
    Object.entries(one.properties ?? {}).flatMap(([name, property]) => {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      const field = resolved(property);
      const inner = partsOf(field).find(({ type }) => type !== 'null') ?? field;
      const items = inner.items === undefined ? undefined : resolved(inner.items);
      return [
        [path, typeOf(field)] as [string, string],
        ...(items === undefined ? fieldsBelow(path, inner) : fieldsBelow(`${path}[]`, items)),
      ];
    });
  return fieldsBelow('', resolved(root));
}
