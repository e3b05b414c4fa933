// node console/build.mjs FOLDER builds the files that browsers load. `api/console/console-files.ts` runs it when they are missing.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node console/build.mjs FOLDER');
const here = fileURLToPath(new URL('.', import.meta.url));

const { inputs, outputs } = (
  await build({
    absWorkingDir: here,
    entryPoints: ['src/main.tsx', 'src/style/main.css', 'src/icon.svg'],
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    ...{ bundle: true, splitting: true, format: 'esm', target: 'es2023', minify: true, legalComments: 'none' },
    ...{ jsx: 'automatic', jsxImportSource: 'preact', metafile: true, logLevel: 'warning' },
  })
).metafile;

for (const [source, target] of [
  ['index.html', 'index.html'],
  ['manifest.json', 'assets/manifest.json'],
]) {
  let text = await readFile(join(here, source), 'utf8');
  for (const [file, { entryPoint }] of Object.entries(outputs)) {
    if (entryPoint !== undefined) text = text.replace(`./${entryPoint}`, `/console/assets/${basename(file)}`);
  }
  await writeFile(join(folder, target), text);
}

const packages = new Set(
  Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
);
const licences = [...packages].sort().map(async (path) => {
  const names = await readdir(join(here, path));
  const file = names.find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${path} has no licence`);
  return `# ${path.replace(/^.*node_modules\//, '')}\n\n${await readFile(join(here, path, file), 'utf8')}`;
});
await writeFile(join(folder, 'assets', 'licences.md'), (await Promise.all(licences)).join('\n'));
