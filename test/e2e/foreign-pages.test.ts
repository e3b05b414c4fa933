import { REFUSED_BY_BROWSERS } from '../../local/engines/ports.ts';
import { foreignPages } from '../helpers/foreign-pages/of-command.ts';

// It starts all that `npm start` does, and the sandbox. That command, pages on another port and all other ports are in
// foreign-pages.long.test.ts.
foreignPages('npm run sandbox', {
  origins: ['elsewhere'],
  reboundToAll: false,
  refusedPorts: REFUSED_BY_BROWSERS.slice(0, 1),
});
