import { foreignPages } from '../helpers/foreign-pages/of-command.ts';

foreignPages('npm start');
