import { describeTakeover } from '../helpers/takeover.ts';

// What callers had been told. Webhooks, and the jobs that were under way: takeover.long.test.ts.
describeTakeover({ withWorker: false });
