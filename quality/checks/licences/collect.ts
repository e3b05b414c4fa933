import { join } from 'node:path';
import { CATALOGUE } from '../../../speech/models/catalogue.ts';
import { readLockfile } from '../lockfile.ts';
import { IMAGE_REQUIREMENTS } from '../project.ts';
import { readRequirements } from '../requirements.ts';
import { ENGINE_COMPONENTS, IMAGE_COMPONENTS, PYTHON_LICENCES, type Component } from './components.ts';
import { CORRECTIONS, objection, TERMS } from './policy.ts';

export interface LicensedPackage {
  readonly name: string;
  readonly licence: string | undefined;
}

/** Everything that the service is made of and runs beside, each part sorted by name. */
export type Inventory = ReturnType<typeof takeInventory>;

/**
 * Reads the lock files and tables of a checkout; nothing that is installed, so that every machine finds the same.
 *
 * npm packages: all that some platform gets with `--omit=dev`, each name once for each licence.
 */
export function takeInventory(root: string) {
  const npm = readLockfile(join(root, 'package-lock.json'))
    .filter(({ isProduction }) => isProduction)
    .map(({ name, licence }) => ({ name, licence: CORRECTIONS[name] ?? licence }));
  const python = IMAGE_REQUIREMENTS.flatMap((path) => readRequirements(join(root, path))).map(({ name }) => ({
    name,
    licence: PYTHON_LICENCES[name],
  }));
  const models: Component[] = CATALOGUE.map(({ name, licence, what }) => ({ name, licence, what }));
  return {
    npm: sorted([...new Map(npm.map((one) => [`${one.name} ${one.licence ?? ''}`, one])).values()]),
    python: sorted(python),
    image: sorted(IMAGE_COMPONENTS),
    engines: sorted(ENGINE_COMPONENTS),
    models: sorted(models),
  };
}

/** What has to be looked into: licences that are not allowed, and entries of the tables that nothing needs any more. */
export function objections(inventory: Inventory): string[] {
  const { npm, python, image, engines, models } = inventory;
  const all = [...npm, ...python, ...image, ...engines, ...models];
  const names = new Set(all.map(({ name }) => name));
  const stale = [...Object.keys(TERMS), ...Object.keys(CORRECTIONS), ...Object.keys(PYTHON_LICENCES)].filter(
    (name) => !names.has(name),
  );
  return [
    ...all.flatMap(({ name, licence }) => objection(name, licence) ?? []),
    ...stale.map((name) => `${name} is in a table of quality/checks/licences and nowhere else: remove it`),
  ];
}

/** By code units: a locale would sort differently on another machine. */
function sorted<T extends { readonly name: string }>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
