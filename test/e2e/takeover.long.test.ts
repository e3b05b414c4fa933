import { describeTakeover } from '../helpers/takeover.ts';

describeTakeover({ withWorker: true });
