import { describeFaults } from '../helpers/fault-rounds.ts';

// Each line once, and each way in which it goes: nothing comes through, only the answers vanish, an answer is cut, nobody
// is there. Every fault on every line: faults.long.test.ts.
describeFaults(
  [
    ['temporal', 'blackhole'],
    ['mongodb', 'blackhole'],
    ['platform', 'limit_data'],
    ['receiver', 'unanswered'],
    ['files', 'down'],
  ],
  { faultMs: 2_000, table: false },
);
