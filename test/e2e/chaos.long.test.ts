import { describeChaos } from '../helpers/chaos-run.ts';

describeChaos({ jobs: 40, minutes: 1, kills: 10, seed: 7, patienceMinutes: 10 }, { hears: true });
