import { waitingJobs } from '../helpers/waiting-jobs.ts';

// Ten thousand of them are in waiting-jobs.long.test.ts.
waitingJobs(60, 180_000);
