import type { Inventory, LicensedPackage } from './collect.ts';
import type { Component } from './components.ts';
import { TERMS } from './policy.ts';

/** docs/licences.md, in Markdown. Versions are left out: they stand in the lock files, and the page changes when a licence does. */
export function renderPage({ npm, python, image, engines, models }: Inventory): string {
  const terms = Object.entries(TERMS).map(([name, { licence, why }]) => `| ${name} | ${licence} | ${why} |`);
  return `${[
    '# Licences',
    'Made by `npm run licences`, and checked by `bash .ci/run`. Tapedeck itself: [MIT](../LICENSE).',
    'What is below comes from the lock files and from `quality/checks/licences/`, and is the same on every machine. Packages that only development needs are left out: they are in no image.',
    '## What asks for more than its text to be kept',
    ['| What | Licence | Why it is fine |', '| --- | --- | --- |', ...terms].join('\n'),
    '## Programs and files in the image',
    'Beside these the image holds the packages of Debian that they need; their licences are in `/usr/share/doc/*/copyright`.',
    table(image),
    '## Engines, and tools of a machine that has none',
    'Not in the image: they run beside the service, or are set up on the machine. What is built from a Go module brings the modules that its `go.sum` names.',
    table(engines),
    '## Models of the sherpa engine',
    'In no image: `npm run models` fetches them.',
    table(models),
    `## Python packages in the image (${String(python.length)})`,
    'The wheels of numpy, scipy and scikit-learn carry OpenBLAS (BSD-3-Clause) and the runtime of GCC, whose exception to the GPL is made for that.',
    ...byLicence(python),
    `## npm packages in the image, of all platforms (${String(npm.length)})`,
    ...byLicence(npm),
  ].join('\n\n')}\n`;
}

function table(components: readonly Component[]): string {
  const rows = components.map(({ name, licence, what }) => `| ${name} | ${licence} | ${what} |`);
  return ['| What | Licence | For |', '| --- | --- | --- |', ...rows].join('\n');
}

/** A paragraph for each licence, the most frequent first. */
function byLicence(packages: readonly LicensedPackage[]): string[] {
  const licences = [...new Set(packages.map(({ licence }) => licence ?? 'unknown'))];
  return licences
    .map((licence) => [licence, packages.filter((one) => (one.licence ?? 'unknown') === licence)] as const)
    .toSorted(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1))
    .map(([licence, members]) => `**${licence}** (${String(members.length)}): ${names(members)}`);
}

function names(packages: readonly LicensedPackage[]): string {
  return packages.map(({ name }) => `\`${name}\``).join(', ');
}
