// An import points down this list of layers, never up, and never to another folder of the same layer.
const layers = [
  ['test'],
  ['quality'],
  ['command'],
  ['local', 'deploy'],
  ['console'],
  ['clients'],
  // Workers accept the items of batches by the use cases of the api.
  ['worker'],
  ['api', 'operator'],
  ['workflows'],
  ['activities'],
  ['sources', 'speech'],
  ['media', 'store', 'outbound', 'pacing'],
  ['runtime'],
  ['contract'],
];
/** The same within a folder. */
const stages = ['local/demo', 'local/sandbox', 'local/engines'];
const anyOf = (folders) => `^(${folders.join('|')})/`;
const FOLDER = '^(?!node_modules/)[^/]+/.*\\.\\w+$';
const TOOLS = anyOf(['test', 'quality', 'local']);

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'configuration-is-passed-down',
      comment: 'The configuration is made of the settings of these folders, which receive what they need as arguments.',
      severity: 'error',
      from: {
        path: anyOf([
          'workflows',
          'activities',
          'sources',
          'speech',
          'media',
          'store',
          'outbound',
          'pacing',
          'runtime',
          'contract',
        ]),
      },
      to: { path: '^config\\.ts$' },
    },
    {
      name: 'every-folder-has-a-layer',
      comment: 'A new folder of the root gets its place in the list above.',
      severity: 'error',
      from: { path: FOLDER, pathNot: anyOf(layers.flat()) },
      to: {},
    },
    ...layers.map((folders, index) => ({
      name: `imports-point-down-from-${folders.join('-and-')}`,
      severity: 'error',
      from: { path: `^(${folders.join('|')})/` },
      to: {
        path: FOLDER,
        // $1 is the folder that imports.
        pathNot: ['^$1/', anyOf(layers.slice(index + 1).flat())],
      },
    })),
    ...stages.slice(1).map((folder, index) => ({
      name: `imports-point-down-from-${folder}`,
      severity: 'error',
      from: { path: `^${folder}/` },
      to: { path: anyOf(stages.slice(0, index + 1)) },
    })),
    {
      name: 'workflows-know-activities-by-type',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'workflows-know-no-drivers',
      comment: 'What a workflow imports is bundled and replayed.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: anyOf(['sources', 'speech', 'media', 'store', 'outbound']) },
    },
    {
      name: 'workflows-render-nothing',
      comment: 'Neither do the folders below, from which the bundle of the workflows is made too.',
      severity: 'error',
      from: { path: '^(workflows|runtime)/' },
      to: { path: '^contract/kinds', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-api-calls-no-platform',
      severity: 'error',
      from: { path: '^api/' },
      to: { path: anyOf(['activities', 'sources', 'speech', 'media']) },
    },
    {
      name: 'the-console-knows-the-contract',
      comment: 'It uses what any caller can use. What it shares with the service runs in browsers too.',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: FOLDER, pathNot: anyOf(['console', 'clients', 'contract']) },
    },
    {
      name: 'the-console-checks-nothing',
      comment: 'Schemas would be half of what a browser loads.',
      severity: 'error',
      from: { path: '^console/' },
      to: { path: '^(contract/kinds|node_modules/zod/)', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'clients-stand-alone',
      comment: 'They are installed without the service.',
      severity: 'error',
      from: { path: '^clients/', pathNot: '/src/(node|rpc|rpc-types)\\.ts$' },
      to: { pathNot: '^clients/' },
    },
    {
      name: 'config-is-read-by-mains',
      comment: 'Parts receive their slice of the configuration; only the joints may import the value.',
      severity: 'error',
      from: { path: FOLDER, pathNot: [TOOLS, '/main\\.ts$'] },
      to: { path: '^config\\.ts$', dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(clients/typescript/(dist|src/generated)|data|\\.tapedeck|coverage)/' },
  },
};
