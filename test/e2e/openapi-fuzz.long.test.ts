import { describeFuzz, ONLY_WAITING, WITHOUT_WAITING } from '../helpers/openapi-fuzz.ts';

describeFuzz({
  parts: [
    [4, { name: 'waiting', args: ['--phases', 'examples,fuzzing', ...ONLY_WAITING] }],
    [5, { name: 'others', args: ['--phases', 'examples,coverage,fuzzing', ...WITHOUT_WAITING] }],
    [4, { name: 'stateful', args: ['--phases', 'stateful', ...WITHOUT_WAITING] }],
  ],
  atLeast: 300,
  toTheEnd: true,
});
