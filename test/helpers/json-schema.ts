import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * @param schema keywords that it adds to JSON Schema are passed over
 * @param options.at what of it is meant, such as `#/$defs/Pod`; by default all
 * @returns what is wrong with a value, by its path
 */
export function schemaCheck(schema: object, { at = '#' } = {}): (value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  // It says by an address that nobody needs of which draft it is.
  const { $schema: _, ...rest } = schema as { readonly $schema?: string };
  const validate = ajv.addSchema(rest, 'all').compile({ $ref: `all${at}` });
  return (value) => {
    validate(value);
    return (validate.errors ?? []).map(
      ({ instancePath, message = '', params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

export function readJson(path: string): object {
  return JSON.parse(readFileSync(path, 'utf8')) as object;
}
