import { safeParse, type z } from 'zod';

/** A schema for the arguments of each function. A function without a schema is a type error. */
export type InputSchemas<Functions> = {
  readonly [Name in keyof Functions]: z.ZodType<
    Functions[Name] extends (...args: infer Args) => unknown ? Args : never
  >;
};

/**
 * Checks arguments from Temporal, because any client of Temporal can send any. The parsed values are not used, so that fields
 * of a newer release pass through an older worker.
 *
 * @returns the error of each wrong field; undefined if there is none
 */
export function inputErrorOf(
  schemas: Readonly<Record<string, z.ZodType>>,
  name: string,
  args: unknown,
): string | undefined {
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (schema === undefined) return `${name} has no known input`;
  const { error } = safeParse(schema, args);
  if (error === undefined) return undefined;
  const errors = error.issues.map(({ path, message }) => `${fieldOf(path)}: ${message}`);
  return `${name} refuses its input: ${errors.join('; ')}`;
}

/** @param path begins with the index of the argument */
function fieldOf([argument = 0, ...path]: readonly PropertyKey[]): string {
  return path.length > 0 ? path.map(String).join('.') : `argument ${String(Number(argument) + 1)}`;
}
