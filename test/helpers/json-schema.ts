import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

/**
 * @param schema of draft 7 or older; keywords that it adds to JSON Schema are passed over
 * @returns what is wrong with a value, by its place
 */
export function schemaCheck(schema: object): (value: unknown) => string[] {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, allowUnionTypes: true });
  const validate = ajv.compile(schema);
  return (value) => {
    validate(value);
    return (validate.errors ?? []).map(
      ({ instancePath, message = '', params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** A file that says which draft it is of by an address that nobody needs. */
export function readSchema(path: string): object {
  const { $schema: _, ...schema } = JSON.parse(readFileSync(path, 'utf8')) as { $schema?: string };
  return schema;
}
