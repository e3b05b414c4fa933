import { safeParse, type z } from 'zod';

/** Schemas of the arguments of functions, one for each; a function without one is a type error. */
export type InputSchemas<Functions> = {
  readonly [Name in keyof Functions]: z.ZodType<
    Functions[Name] extends (...args: infer Args) => unknown ? Args : never
  >;
};

/**
 * Looks at arguments that came through Temporal, where anybody who reaches it can put in anything.
 *
 * They are handed on as they came, and not as they were parsed: a newer version's fields must pass through an older worker.
 *
 * @returns what is wrong with them, field by field; undefined when they are good
 */
export function refusalOf(
  schemas: Readonly<Record<string, z.ZodType>>,
  name: string,
  args: unknown,
): string | undefined {
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (schema === undefined) return `${name} takes no input that is known`;
  const { error } = safeParse(schema, args);
  if (error === undefined) return undefined;
  const told = error.issues.map(({ path, message }) => `${fieldOf(path)}: ${message}`);
  return `${name} refuses its input: ${told.join('; ')}`;
}

/** @param path begins with the place of the argument */
function fieldOf([argument = 0, ...path]: readonly PropertyKey[]): string {
  return path.length > 0 ? path.map(String).join('.') : `argument ${String(Number(argument) + 1)}`;
}
