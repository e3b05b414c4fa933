import { readFileSync } from 'node:fs';

/** A Python package as a requirements file pins it. */
export type Requirement = ReturnType<typeof readRequirements>[number];

/** The packages of a requirements file. @throws when a line is not an exact pin */
export function readRequirements(path: string) {
  const lines = readFileSync(path, 'utf8')
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*/, '').trim());
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [, name, version, rest = ''] = /^([\w.-]+)==([\w.+!-]+)(\s.*)?$/.exec(line) ?? [];
      if (name === undefined || version === undefined) throw new Error(`${path}: not pinned exactly: ${line}`);
      // Such as `sha256:9acb…`.
      const hashes = [...rest.matchAll(/--hash=(\S+)/g)].map(([, hash = '']) => hash);
      return { name, version, hashes };
    });
}
