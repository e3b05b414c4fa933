import { z } from 'zod';

/** Whether a platform may omit a field of an answer. */
type IsOmittable<Value> = null extends Value ? true : Value extends readonly unknown[] ? true : false;

/** The fields of an answer as they are stored: those that the platform omitted are absent, see {@link withNullDefaults}. */
export type Sparse<Value> = Value extends readonly (infer Item)[]
  ? Sparse<Item>[]
  : Value extends object
    ? { [Name in keyof Value as IsOmittable<Value[Name]> extends true ? never : Name]: Sparse<Value[Name]> } & {
        [Name in keyof Value as IsOmittable<Value[Name]> extends true ? Name : never]?:
          Sparse<NonNullable<Value[Name]>> | undefined;
      }
    : Value;

/** Adds missing fields: null for nullable fields, an empty list for lists. Present fields keep their order. */
export function withNullDefaults<Schema extends z.ZodObject>(
  schema: Schema,
): (value: Sparse<z.infer<Schema>>) => z.infer<Schema> {
  return completerOf(schema) as (value: Sparse<z.infer<Schema>>) => z.infer<Schema>;
}

function completerOf(schema: unknown): (value: unknown) => unknown {
  if (schema instanceof z.ZodNullable) {
    const complete = completerOf(schema.unwrap());
    return (value) => (value === undefined || value === null ? null : complete(value));
  }
  if (schema instanceof z.ZodArray) {
    const complete = completerOf(schema.unwrap());
    return (value) => ((value ?? []) as readonly unknown[]).map(complete);
  }
  if (!(schema instanceof z.ZodObject)) return (value) => value;
  const fields = Object.entries(schema.shape as Readonly<Record<string, unknown>>)
    .filter(([, field]) => !(field instanceof z.ZodOptional))
    .map(([name, field]) => [name, completerOf(field)] as const);
  return (value) => {
    const whole: Record<string, unknown> = { ...(value as object) };
    for (const [name, complete] of fields) whole[name] = complete(whole[name]);
    return whole;
  };
}
