// npm run audit [-- --strict]: known vulnerabilities of the packages in the image, by npm audit and pip-audit.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { installerEnv } from '../../local/engines/environment.ts';
import { ensurePythonModule } from '../../local/engines/python-module.ts';
import { run } from '../../runtime/subprocess/run-program.ts';
import { foundByNpm, foundByPip } from './audit-report.ts';
import { IMAGE_REQUIREMENTS, ROOT } from './project.ts';

const { values } = parseArgs({ options: { strict: { type: 'boolean', default: false } } });

const npmArgs = ['audit', '--json', '--omit=dev', '--package-lock-only', '--fetch-retries=0', '--fetch-timeout=10000'];
await audit('npm packages', ['npm', ...npmArgs], foundByNpm);

const requirements = fileURLToPath(new URL('../../local/engines/pip-audit-requirements.txt', import.meta.url));
const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log: console.log };
const { value: python } = await ensurePythonModule(setup, { name: 'pip-audit', module: 'pip_audit', requirements });
const pipArgs = [
  '-m',
  'pip_audit',
  '--format=json',
  '--vulnerability-service=osv',
  '--disable-pip',
  '--require-hashes',
];
const files = IMAGE_REQUIREMENTS.flatMap((path) => ['--requirement', path]);
await audit('Python packages', [python, ...pipArgs, '--timeout=10', ...files], foundByPip);

/** @param found reads the report of the tool: undefined when its source of advisories gave no answer */
async function audit(
  name: string,
  [program = '', ...args]: readonly string[],
  found: (stdout: string) => number | undefined,
): Promise<void> {
  const options = { cwd: ROOT, env: installerEnv(process.env), timeoutMs: 120_000, maxStdoutChars: 20_000_000 };
  const { stdout, stderrTail } = await run(program, args, options);
  const count = found(stdout);
  if (count === undefined) {
    console.log(`${name}: not audited: ${(stderrTail.trim().split('\n').at(-1) || stdout).slice(0, 200)}`);
    if (values.strict) process.exitCode ??= 2;
  } else {
    console.log(`${name}: audited: ${String(count)} vulnerabilities to be looked into`);
    if (count === 0) return;
    console.log(stdout);
    process.exitCode = 1;
  }
}
