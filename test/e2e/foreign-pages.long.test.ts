import { REFUSED_BY_BROWSERS } from '../../local/engines/ports.ts';
import { foreignPages } from '../helpers/foreign-pages/of-command.ts';

foreignPages('npm start', {
  origins: ['elsewhere', 'otherPort'],
  reboundToAll: true,
  refusedPorts: REFUSED_BY_BROWSERS,
});
