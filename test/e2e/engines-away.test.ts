import { describeEnginesAway } from '../helpers/engines-away.ts';

// Each engine once, and each way once. All of them: engines-away.long.test.ts.
describeEnginesAway(['MongoDB is away', 'the line to Temporal hangs'], 2_000);
