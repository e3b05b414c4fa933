import { foreignPages } from '../helpers/foreign-pages/of-command.ts';

// It starts all that `npm start` does, and the sandbox. That command is in foreign-pages.long.test.ts.
foreignPages('npm run sandbox');
