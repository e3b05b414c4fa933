// The import directions of docs/architecture.md: an import points down the list of layers, never up.
/** Folders that may be imported from each folder (besides itself). */
const allowed = {
  contract: [],
  subprocess: [],
  temporal: ['contract'],
  outbound: ['contract'],
  webhooks: ['contract', 'outbound'],
  store: ['contract', 'subprocess'],
  media: ['contract', 'subprocess'],
  speech: ['contract', 'subprocess', 'media'],
  sources: ['contract', 'subprocess', 'outbound'],
  activities: ['contract', 'sources', 'media', 'speech', 'webhooks', 'outbound', 'store'],
  workflows: ['contract'],
  api: ['contract', 'store', 'webhooks', 'outbound', 'workflows', 'temporal', 'subprocess'],
  worker: [
    'contract',
    'activities',
    'workflows',
    'sources',
    'media',
    'speech',
    'webhooks',
    'outbound',
    'store',
    'subprocess',
    'temporal',
  ],
  embedded: ['contract', 'subprocess', 'api'],
  sandbox: ['contract', 'subprocess', 'embedded'],
  demo: ['contract', 'subprocess', 'embedded', 'sandbox', 'api'],
  chaos: ['contract', 'store', 'subprocess', 'embedded', 'sandbox'],
};
const folders = Object.keys(allowed);

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-tests-in-product',
      severity: 'error',
      from: { path: `^(${folders.join('|')})/` },
      to: { path: '^(test|bench|checks)/' },
    },
    {
      name: 'workflows-know-activities-by-type',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'config-is-read-by-mains',
      comment: 'Parts receive their slice of the configuration; only the joints may import the value.',
      severity: 'error',
      from: { path: `^(${folders.join('|')})/`, pathNot: '(^embedded/|^sandbox/|^demo/|^chaos/|/main\\.ts$)' },
      to: { path: '^config\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    ...folders.map((folder) => ({
      name: `layers-${folder}`,
      severity: 'error',
      from: { path: `^${folder}/` },
      to: {
        path: `^(${folders.join('|')})/`,
        pathNot: `^(${[folder, ...allowed[folder], ...(folder === 'workflows' ? ['activities'] : [])].join('|')})/`,
      },
    })),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
