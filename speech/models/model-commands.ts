import { join } from 'node:path';
import { UsageError } from '../../runtime/operator-command.ts';
import { createProgressView, megabytes } from '../../runtime/terminal-progress.ts';
import { CATALOGUE, STARTER, type CatalogueModel } from './catalogue.ts';
import { installModel, type InstallOptions } from './install.ts';
import { namesOfModels, readLock, wrongFilesIn } from './models-folder.ts';

export interface CommandOptions extends Omit<InstallOptions, 'view'> {
  /** Whether a person watches a terminal. */
  readonly isLive: boolean;
  /** For tests. */
  readonly catalogue?: readonly CatalogueModel[];
}

/** @returns whether all is well. @throws Error with a sentence for a person */
export async function runModels(command: string, names: readonly string[], options: CommandOptions): Promise<boolean> {
  switch (command) {
    case 'list':
      return list(options);
    case 'install':
      return install(names.length === 0 ? STARTER : names, options);
    case 'verify':
      return verify(options);
    default:
      throw new UsageError(`there is no command ${command}`);
  }
}

async function list({ modelsDir, say, catalogue = CATALOGUE }: CommandOptions): Promise<boolean> {
  const { models } = await readLock(modelsDir);
  const names = await namesOfModels(modelsDir);
  const rows = catalogue.map(({ name, role, what, licence, installedMegabytes }) => {
    const bytes = models[name]?.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const about = installedMegabytes === undefined ? '' : `about ${installedMegabytes} MB`;
    const size = bytes === undefined ? about : megabytes(bytes);
    return [names.includes(name) ? 'installed' : '', name, role, size, licence, what];
  });
  const byHand = names.filter((name) => !catalogue.some((model) => model.name === name));
  const table = [...rows, ...byHand.map((name) => ['by hand', name, '', '', '', ''])];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  say(`Models in ${modelsDir}`);
  for (const row of table) {
    const padded = row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
    say(padded.trimEnd());
  }
  say(`\nnpm run models -- install NAME…   without a name: ${STARTER.join(' ')}`);
  return true;
}

async function install(names: readonly string[], options: CommandOptions): Promise<boolean> {
  const { isLive, say, catalogue = CATALOGUE } = options;
  const models = names.map((name) => {
    const model = catalogue.find((one) => one.name === name);
    if (model === undefined) throw new UsageError(`there is no model ${name}; \`npm run models\` lists them`);
    return model;
  });
  for (const model of models) {
    const line = (text: string): void => say(`${model.name}: ${text}`);
    const terminal = isLive ? process.stdout : undefined;
    const view = createProgressView({ terminal, title: `${model.name}  `, line, stepPercent: 10 });
    const isNew = await installModel(model, { ...options, view }).finally(() => view.end());
    say(`${model.name}: ${isNew ? 'installed' : 'is installed already'} (licence: ${model.licence})`);
  }
  return true;
}

async function verify({ modelsDir, say }: CommandOptions): Promise<boolean> {
  const { models } = await readLock(modelsDir);
  const byHand = (await namesOfModels(modelsDir)).filter((name) => !(name in models));
  if (Object.keys(models).length + byHand.length === 0) say(`There is no model in ${modelsDir}`);
  let isRight = true;
  for (const [name, pinned] of Object.entries(models)) {
    const wrong = await wrongFilesIn(join(modelsDir, name), pinned, 'contents');
    isRight &&= wrong.length === 0;
    const isGood = wrong.length === 0;
    say(
      `${name}: ${isGood ? `right, ${pinned.files.length} files as they were installed` : `wrong, ${wrong.join('; ')}`}`,
    );
  }
  for (const name of byHand) say(`${name}: unknown, put there by hand: nothing to compare with`);
  return isRight;
}
