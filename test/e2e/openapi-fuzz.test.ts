import { describeFuzz, WITHOUT_WAITING } from '../helpers/openapi-fuzz.ts';

// Every operation with few cases. More of them, and those at the edges of each schema: openapi-fuzz.long.test.ts.
describeFuzz({
  parts: [
    [1, { name: 'stateless', args: ['--workers', '4', '--phases', 'examples,fuzzing'] }],
    [1, { name: 'stateful', args: ['--phases', 'stateful', ...WITHOUT_WAITING] }],
  ],
  atLeast: 50,
  toTheEnd: false,
});
