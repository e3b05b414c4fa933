import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'node_modules/',
      'data/',
      '.tapedeck/',
      'coverage/',
      'clients/typescript/dist/',
      'clients/typescript/src/generated/',
    ],
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { requireDefaultForNonUnion: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 3],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    // Much of what patterns are tested on comes from outside, and no text may hold the event loop for long.
    files: ['**/*.{ts,tsx,js,mjs,cjs}'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      // A sticky pattern is tried at one place only.
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: true }],
      'regexp/no-contradiction-with-assertion': 'error',
      'regexp/no-dupe-characters-character-class': 'error',
      'regexp/no-dupe-disjunctions': 'error',
      'regexp/no-empty-alternative': 'error',
      'regexp/no-empty-capturing-group': 'error',
      'regexp/no-empty-group': 'error',
      'regexp/no-invalid-regexp': 'error',
      'regexp/no-lazy-ends': 'error',
      'regexp/no-misleading-capturing-group': 'error',
      'regexp/no-misleading-unicode-character': 'error',
      'regexp/no-useless-assertions': 'error',
      'regexp/no-useless-backreference': 'error',
    },
  },
  {
    // Only the configuration may look at the environment: everything else is handed what it needs.
    files: ['**/*.{ts,tsx}'],
    ignores: ['config.ts', '**/main.ts', 'local/**', 'quality/**', 'test/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read settings in config.ts only.' },
      ],
    },
  },
  {
    // A table: one entry after another, nothing to follow from line to line.
    files: ['config.ts', 'contract/failures.ts'],
    rules: { 'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }] },
  },
  {
    // Workflow code is replayed: a clock, a random number or a driver would differ on replay.
    files: ['workflows/**/*.ts', 'contract/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['node:*', 'mongodb', 'undici', 'h3', 'pino'], message: 'Workflow-safe code has no I/O.' },
            { group: ['../activities/*'], allowTypeImports: true, message: 'Workflows know activities by type only.' },
          ],
        },
      ],
      'no-restricted-globals': ['error', 'fetch', 'process', 'Buffer', 'WeakRef', 'FinalizationRegistry'],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      'max-params': 'off',
      'no-console': 'off',
      // Matchers such as expect.any() are of type any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    // The words that docs/glossary.md replaced by the terms of the field.
    files: ['**/*.{ts,tsx}'],
    ignores: ['test/**', 'quality/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'Identifier[name=/^(?:told|asked|places?)(?![a-z])|(?:Told|Asked|Places?)(?![a-z])/]',
          message: 'Use a term of docs/glossary.md.',
        },
      ],
      'no-warning-comments': ['error', { terms: ['told', 'asked'], location: 'anywhere' }],
    },
  },
  {
    // Programs for people write to the terminal.
    files: ['local/**/*.ts', 'quality/**/*.ts', '**/main.ts', 'runtime/operator-command.ts'],
    rules: { 'no-console': 'off' },
  },
);
