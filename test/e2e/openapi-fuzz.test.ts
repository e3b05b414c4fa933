import { describeFuzz } from '../helpers/openapi-fuzz.ts';

// Every operation with a case or two. More of them, those at the edges of each schema, and chains of requests:
// openapi-fuzz.long.test.ts.
describeFuzz({
  parts: [[1, { name: 'stateless', args: ['--workers', '4', '--phases', 'fuzzing'] }]],
  atLeast: 35,
  toTheEnd: false,
});
