import { blocksOf } from './helpers/markdown.ts';

/**
 * The shell snippets of the README and of docs/api.md that run against `npm run sandbox`, in order. Each is a whole bash
 * script that ends with a non-zero code when something in it fails; it reads the addresses SERVICE and SANDBOX, and
 * writes into its working directory.
 */
export function readmeBlocks(): readonly { readonly id: string; readonly code: string }[] {
  return ['README.md', 'docs/api.md']
    .flatMap(blocksOf)
    .filter(({ run }) => run === 'sandbox')
    .map(({ id, code }) => ({ id, code: `set -euo pipefail\n${code}` }));
}
