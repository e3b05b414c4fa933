import { join } from 'node:path';
import { UsageError } from '../../runtime/operator-command.ts';
import { createProgressView, megabytes } from '../../runtime/terminal-progress.ts';
import { CATALOGUE, DEFAULT_MODEL, type CatalogueModel } from './catalogue.ts';
import { installModel, type InstallOptions } from './install-model.ts';
import { damagedFilesIn, modelNamesIn } from './models-folder.ts';

export interface CommandOptions extends Omit<InstallOptions, 'view'> {
  readonly isLive: boolean;
  readonly catalogue?: readonly CatalogueModel[];
}

/** @returns whether the command succeeded @throws Error with a sentence for the operator */
export async function runModels(command: string, names: readonly string[], options: CommandOptions): Promise<boolean> {
  switch (command) {
    case 'list':
      return list(options);
    case 'install':
      return install(names.length === 0 ? [DEFAULT_MODEL] : names, options);
    case 'verify':
      return verify(options);
    default:
      throw new UsageError(`there is no command ${command}`);
  }
}

async function list({ modelsDir, say, catalogue = CATALOGUE }: CommandOptions): Promise<boolean> {
  const names = await modelNamesIn(modelsDir);
  const rows = catalogue.map(({ name, description, languages, licence, files, realTimeFactor }) => [
    ...[
      names.includes(name) ? 'installed' : '',
      name,
      megabytes(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)),
    ],
    ...[
      `${languages?.length ?? 99} ${languages?.length === 1 ? 'language' : 'languages'}`,
      licence,
      String(realTimeFactor),
    ],
    description,
  ]);
  const unmanaged = names.filter((name) => !catalogue.some((model) => model.name === name));
  const head = ['', 'name', 'size', 'languages', 'licence', 'real-time factor', 'model'];
  const table = [head, ...rows, ...unmanaged.map((name) => ['manual', name, '', '', '', '', ''])];
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  say(`Models in ${modelsDir}`);
  for (const row of table) {
    const padded = row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');
    say(padded.trimEnd());
  }
  say(`\nnpm run models -- install NAME…   without a name: ${DEFAULT_MODEL}; SPEECH_MODEL=NAME selects it`);
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
    say(`${model.name}: ${isNew ? 'installed' : 'already installed'} (licence: ${model.licence})`);
  }
  return true;
}

async function verify({ modelsDir, say, catalogue = CATALOGUE }: CommandOptions): Promise<boolean> {
  const names = await modelNamesIn(modelsDir);
  if (names.length === 0) say(`There is no model in ${modelsDir}`);
  let areIntact = true;
  for (const name of names) {
    const files = catalogue.find((model) => model.name === name)?.files;
    const problems = await damagedFilesIn(join(modelsDir, name), files ?? [], 'contents');
    areIntact &&= problems.length === 0;
    if (files === undefined) say(`${name}: not verified, because it was installed manually`);
    else say(`${name}: ${problems.length === 0 ? `intact, ${files.length} files` : `damaged, ${problems.join('; ')}`}`);
  }
  return areIntact;
}
