// npm run doctor: shows which programs were found, and how to install missing ones. It installs nothing.
import { loadConfigOrExit } from '../config.ts';
import { openStandardOutput } from '../runtime/standard-output.ts';
import { defaultCacheDir } from './engines/cache.ts';
import { examine } from './doctor.ts';

const findings = await examine({
  env: process.env,
  cacheDir: defaultCacheDir(process.env),
  config: loadConfigOrExit(process.env, []),
});
const rows = [
  ['', 'state', 'version', 'where'],
  ...findings.map(({ name, state, version, where, optional }) => [
    name,
    optional && state === 'missing' ? 'missing (optional)' : state,
    version,
    where,
  ]),
];
const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
const lines = rows.map((row) =>
  row
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd(),
);
await openStandardOutput().print(lines.join('\n'));
const missing = findings.filter(({ state, optional }) => state === 'missing' && !optional).map(({ name }) => name);
if (missing.length > 0) {
  console.error(`\nMissing programs that you must install: ${missing.join(', ')}`);
  process.exitCode = 1;
}
