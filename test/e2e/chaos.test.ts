import { describeChaos } from '../helpers/chaos-run.ts';

// The fewest jobs that have one of each kind. More of them, and more kills: chaos.long.test.ts, and `npm run chaos`.
describeChaos({ jobs: 13, minutes: 0.2, kills: 3, seed: 7, patienceMinutes: 10 }, { hears: false });
