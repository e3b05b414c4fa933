import { expect } from 'vitest';

/**
 * The rows of a table whose every row starts a program. `npm test` runs one of each behaviour; a `*.long.test.ts` that imports
 * the same tests runs them all.
 */
export function rows<const Few, const More = Few>(few: readonly Few[], more: readonly More[]): readonly (Few | More)[] {
  return isLong() ? [...few, ...more] : few;
}

/** Whether the tests run in their long form. */
export function isLong(): boolean {
  return expect.getState().testPath?.endsWith('.long.test.ts') ?? false;
}
