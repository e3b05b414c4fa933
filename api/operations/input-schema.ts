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

/** The JSON Schema of a request for readers: without forms of texts, which the service checks, and without null, which means absent. */
export function readableSchema(shape: z.ZodRawShape, withWebhooks = false): z.core.JSONSchema.BaseSchema {
  // This target has null as a keyword of its own, which can be left out.
  const schema = z.toJSONSchema(z.object(shape), { target: 'openapi-3.0', io: 'input', metadata: descriptions });
  const readable = withoutFields(schema, /^(?:pattern|minLength|maxLength|nullable)$/);
  return withWebhooks ? readable : withoutFields(withoutWebhooks(readable), UNLISTED);
}

/** Removes webhooks at any depth: an instruction in a text from outside could make an assistant send results elsewhere. */
export function withoutWebhooks<Value>(value: Value): Value {
  return withoutFields(value, WEBHOOK);
}

function withoutFields<Value>(value: Value, names: RegExp): Value {
  if (Array.isArray(value)) return value.map((one: unknown) => withoutFields(one, names)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !names.test(name));
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutFields(one as unknown, names)])) as Value;
}
