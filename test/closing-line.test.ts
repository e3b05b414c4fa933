import { closingLines } from './helpers/closing-line.ts';

// The other ways are in closing-line.long.test.ts.
closingLines({ setups: ['setup that ends the whole run'], signals: ['SIGINT'] });
