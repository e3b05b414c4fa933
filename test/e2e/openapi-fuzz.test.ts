import { describeFuzz } from '../helpers/openapi-fuzz.ts';

// Every operation with few cases. More of them, those at the edges of each schema, and chains of requests:
// openapi-fuzz.long.test.ts.
describeFuzz({
  parts: [[1, { name: 'stateless', args: ['--workers', '4', '--phases', 'examples,fuzzing'] }]],
  atLeast: 50,
  toTheEnd: false,
});
