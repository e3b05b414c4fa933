// npm run audit [-- --engines] [-- --strict]: known vulnerabilities of what the service is made of.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultCacheDir } from '../../../local/engines/cache.ts';
import { IMAGE_REQUIREMENTS, ROOT } from '../project.ts';
import { readRequirements } from '../requirements.ts';
import { audit, readExceptions, type Part } from './audit.ts';
import { auditEngines } from './engines.ts';
import { auditNpm } from './npm.ts';
import { auditPython } from './python.ts';

const { values } = parseArgs({
  options: {
    engines: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
  },
});

const parts: Part[] = [
  { name: 'npm packages', mayFail: true, advisories: () => auditNpm(ROOT, process.env) },
  {
    name: 'Python packages',
    mayFail: true,
    advisories: () => auditPython(IMAGE_REQUIREMENTS.flatMap((path) => readRequirements(join(ROOT, path)))),
  },
];
if (values.engines) {
  const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log: () => undefined };
  // Told only: they serve one machine on loopback, and whoever runs more brings a Temporal and a MongoDB of his own.
  parts.push({ name: 'engines', mayFail: false, advisories: () => auditEngines(setup) });
}

const exceptions = readExceptions(join(ROOT, 'quality/checks/audit/exceptions.json'));
const { lines, failed, notAudited } = await audit(parts, exceptions, new Date().toISOString().slice(0, 10));
for (const line of lines) console.log(line);
if (failed.length > 0) process.exitCode = 1;
else if (values.strict && notAudited.length > 0) process.exitCode = 2;
