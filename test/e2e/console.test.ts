import { describeConsole } from '../helpers/console-ways.ts';

describeConsole({ hasKey: false });
