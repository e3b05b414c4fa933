import { z } from 'zod';
import { fieldNameOf, type Operation } from './operation.ts';

/** The schema of all fields of an operation in one object, for facades without paths and queries; undefined without fields. */
export function inputSchemaOf({ body, query, params }: Operation): z.ZodObject | undefined {
  const fields = body ?? (query && takingNulls(query));
  return params === undefined ? fields : (fields ?? z.object()).safeExtend(asFields(params.shape));
}

/** The fields of an operation without the checks that concern several of them, for descriptions. */
export function inputShapeOf({ body, query, params }: Operation): z.ZodRawShape {
  return { ...(params && asFields(params.shape)), ...query?.shape, ...body?.shape };
}

export function asFields(params: z.ZodRawShape): z.ZodRawShape {
  return Object.fromEntries(Object.entries(params).map(([name, schema]) => [fieldNameOf(name), schema]));
}

/** Removes null fields of a query, which count as absent, as in a body. */
function takingNulls({ shape }: z.ZodObject): z.ZodObject {
  const orNull = z
    .unknown()
    .optional()
    .transform((value) => value ?? undefined);
  return z.object(Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, orNull.pipe(field)])));
}

interface JsonSchema {
  readonly [key: string]: unknown;
}

/** `include_webhook` and the like. */
const WEBHOOK = /webhook/;
/** Fields that an assistant does not need, and whose repetition would make the list of tools long. */
const UNLISTED = /^(?:priority|not_before|keep_days|file_name|codec|bit_rate|live)$/;
/** Without their IDs schemas are not moved to `$defs`, which many clients of MCP do not read. */
const descriptions = {
  get(schema: z.ZodType) {
    const { id: _id, ...rest } = z.globalRegistry.get(schema) ?? {};
    return rest;
  },
  has: (schema: z.ZodType) => z.globalRegistry.has(schema),
} as unknown as typeof z.globalRegistry;

/** The JSON Schema of a request for readers: without patterns, which the service checks, and without null, which means absent. */
export function readableSchema(shape: z.ZodRawShape, withWebhooks = false): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(shape), { io: 'input', metadata: descriptions });
  return simplified(withWebhooks ? schema : withoutFields(withoutWebhooks(schema), UNLISTED)) as JsonSchema;
}

/**
 * Assistants neither see nor set webhooks: an instruction in a text from outside could make them send results elsewhere.
 * @returns the value without the fields that name webhooks, at any depth
 */
export function withoutWebhooks<Value>(value: Value): Value {
  return withoutFields(value, WEBHOOK);
}

function withoutFields<Value>(value: Value, names: RegExp): Value {
  if (Array.isArray(value)) return value.map((one: unknown) => withoutFields(one, names)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !names.test(name));
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutFields(one as unknown, names)])) as Value;
}

function simplified(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplified);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { pattern, ...rest } = schema as JsonSchema;
  const entries = Object.entries(typeof pattern === 'string' ? rest : (schema as JsonSchema));
  const { anyOf, ...plain } = Object.fromEntries(entries.map(([name, part]) => [name, simplified(part)]));
  if (!Array.isArray(anyOf)) return anyOf === undefined ? plain : { anyOf, ...plain };
  const types = (anyOf as readonly JsonSchema[]).filter(({ type }) => type !== 'null');
  return types.length === 1 ? { ...types[0], ...plain } : { ...plain, anyOf: types };
}
