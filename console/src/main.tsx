import { render } from 'preact';
import { App } from './app.tsx';
import { followLinks } from './router.ts';
import { applyTheme } from './theme.ts';

applyTheme();
followLinks();
const place = document.getElementById('app');
if (place !== null) render(<App />, place);
