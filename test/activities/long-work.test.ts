import { longWork } from '../helpers/long-work.ts';

// The largest of everything is in long-work.long.test.ts.
longWork(1 / 4);
