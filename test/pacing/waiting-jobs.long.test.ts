import { waitingJobs } from '../helpers/waiting-jobs.ts';

waitingJobs(10_000, 1_200_000);
