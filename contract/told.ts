import { z } from 'zod';

/** Whether a platform may leave a field of an answer untold. */
type MayBeUntold<Value> = null extends Value ? true : Value extends readonly unknown[] ? true : false;

/**
 * The fields of an answer as a platform told them, and as they are kept: what it did not tell is absent. Answers of
 * {@link completing} have null there, or an empty list.
 */
export type Told<Value> = Value extends readonly (infer Item)[]
  ? Told<Item>[]
  : Value extends object
    ? { [Name in keyof Value as MayBeUntold<Value[Name]> extends true ? never : Name]: Told<Value[Name]> } & {
        [Name in keyof Value as MayBeUntold<Value[Name]> extends true ? Name : never]?:
          Told<NonNullable<Value[Name]>> | undefined;
      }
    : Value;

/**
 * @param schema of objects in an answer
 * @returns gives what was told every field that the schema has: null where it may be null, an empty list, and what is
 *   optional not at all. Fields that are there stay in their order.
 */
export function completing<Schema extends z.ZodObject>(
  schema: Schema,
): (told: Told<z.infer<Schema>>) => z.infer<Schema> {
  return completerOf(schema) as (told: Told<z.infer<Schema>>) => z.infer<Schema>;
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
