/**
 * npm run mutate: changes the code bit by bit and tells which changes no test without engines notices.
 *
 * What runs only in a bundle of workflows, in a process of its own or against an engine is not seen here.
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: ['contract/**/*.ts', 'workflows/**/*.ts', 'store/**/*.ts', 'activities/**/*.ts'],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutations/vitest.config.ts' },
  // What is evaluated once, when a module is loaded, would need all tests again for each change.
  ignoreStatic: true,
  // Wording is told to people, and free to change.
  mutator: { excludedMutations: ['StringLiteral'] },
  concurrency: 1,
  tempDirName: '.tapedeck/mutations',
  ignorePatterns: ['/data', '/.tapedeck', '/coverage'],
  reporters: ['clear-text', 'json', 'html'],
  jsonReporter: { fileName: '.tapedeck/mutation-report.json' },
  htmlReporter: { fileName: '.tapedeck/mutation-report.html' },
  clearTextReporter: { allowColor: false, reportTests: false, reportScoreTable: true },
  allowConsoleColors: false,
};
