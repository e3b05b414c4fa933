// npm run licences [-- --check]: writes docs/licences.md, or says whether it is what it would write.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../project.ts';
import { objections, takeInventory } from './collect.ts';
import { renderPage } from './page.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const PAGE = join(ROOT, 'docs/licences.md');

const inventory = takeInventory(ROOT);
const complaints = objections(inventory);
const page = renderPage(inventory);
if (values.check) {
  const isCurrent = existsSync(PAGE) && readFileSync(PAGE, 'utf8') === page;
  if (!isCurrent)
    complaints.push('docs/licences.md is not what `npm run licences` makes: run it, and look at what changed');
} else writeFileSync(PAGE, page);

for (const complaint of complaints) console.error(complaint);
console.log(
  `licences: ${Object.entries(inventory)
    .map(([part, members]) => `${String(members.length)} ${part}`)
    .join(', ')}; ${String(complaints.length)} complaints`,
);
if (complaints.length > 0) process.exitCode = 1;
