import { longWork } from '../helpers/long-work.ts';

longWork(1);
