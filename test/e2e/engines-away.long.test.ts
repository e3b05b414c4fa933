import { describeEnginesAway, WAYS_TO_BE_AWAY } from '../helpers/engines-away.ts';

// `AWAY_SECONDS=60` gives the numbers in docs/reliability.md.
describeEnginesAway(WAYS_TO_BE_AWAY, Number(process.env['AWAY_SECONDS'] ?? 4) * 1000);
