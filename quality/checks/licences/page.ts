import type { Inventory, LicensedPackage } from './collect.ts';
import type { Component } from './components.ts';
import { TERMS } from './policy.ts';

/**
 * docs/licences.md, in Markdown. Versions are left out: they stand in the lock files. So are the names of packages whose
 * licence asks for no more than its text to be kept.
 */
export function renderPage({ npm, python, image, engines, models }: Inventory): string {
  const terms = Object.entries(TERMS).map(([name, { licence, why }]) => `- ${name} (${licence}): ${why}`);
  return `${[
    '# Licences',
    'Made by `npm run licences` from the lock files and `quality/checks/licences/`. Tapedeck itself: [MIT](../LICENSE).',
    '## What asks for more than its text to be kept',
    terms.join('\n'),
    '## Programs and files in the image',
    'The packages of Debian that they need name their licences in `/usr/share/doc/*/copyright`.',
    listOf(image),
    '## Engines, and tools of a machine that has none',
    'They are not in the image. What is built from a Go module brings the modules that its `go.sum` names.',
    listOf(engines),
    '## Packages',
    `Models of the sherpa engine, fetched by \`npm run models\`: ${byLicence(models)}.`,
    `Python packages in the image: ${byLicence(python)}. The wheel of numpy carries OpenBLAS (BSD-3-Clause) and the runtime of GCC, whose exception to the GPL is made for that.`,
    `npm packages in the image, of all platforms: ${byLicence(npm)}.`,
  ].join('\n\n')}\n`;
}

function listOf(components: readonly Component[]): string {
  return components.map(({ name, licence, what }) => `- ${name} (${licence}): ${what}`).join('\n');
}

/** How many have each licence, the most frequent first. */
function byLicence(packages: readonly LicensedPackage[]): string {
  const counts = new Map<string, number>();
  for (const { licence = 'unknown' } of packages) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  return [...counts]
    .toSorted(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1))
    .map(([licence, count]) => `${licence} (${String(count)})`)
    .join(', ');
}
