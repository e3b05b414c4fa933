import { closingLines, closingLinesWithoutTests } from './helpers/closing-line.ts';

closingLines({ setups: ['setup that throws', 'teardown that throws'], signals: ['SIGTERM'] });
closingLinesWithoutTests();
