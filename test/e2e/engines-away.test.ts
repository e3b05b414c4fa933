import { describeEnginesAway } from '../helpers/engines-away.ts';

// Each engine once, and each way once. All of them: engines-away.long.test.ts.
describeEnginesAway(['Temporal is away', 'the line to MongoDB hangs'], 2_000);
