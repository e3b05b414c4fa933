import { REFUSED_BY_BROWSERS } from '../../local/engines/ports.ts';
import { foreignPages } from '../helpers/foreign-pages/of-command.ts';

foreignPages('npm start', REFUSED_BY_BROWSERS);
