import { readFileSync } from 'node:fs';

/** A Python package as a requirements file pins it. */
export interface Requirement {
  readonly name: string;
  readonly version: string;
  /** The `--hash` values, such as `sha256:9acb…`. */
  readonly hashes: readonly string[];
}

/** The packages of a requirements file. @throws when a line is not an exact pin */
export function readRequirements(path: string): Requirement[] {
  const lines = readFileSync(path, 'utf8')
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*/, '').trim());
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [, name, version, rest = ''] = /^([\w.-]+)==([\w.+!-]+)(\s.*)?$/.exec(line) ?? [];
      if (name === undefined || version === undefined) throw new Error(`${path}: not pinned exactly: ${line}`);
      return { name, version, hashes: [...rest.matchAll(/--hash=(\S+)/g)].map(([, hash = '']) => hash) };
    });
}
