// npm run secrets [-- --history]: looks for secrets in the files of the checkout, and in all that were ever committed.
import { parseArgs } from 'node:util';
import { ROOT } from '../project.ts';
import { findSecrets, type FoundSecret } from './scan.ts';
import { isCheckout, pastFiles, presentFiles } from './sources.ts';

const { values } = parseArgs({ options: { history: { type: 'boolean', default: false } } });

let exitCode = 0;

function tell(what: string, { read, found }: { read: number; found: readonly FoundSecret[] }): void {
  console.log(`${what}: ${String(read)} texts, ${String(found.length)} with what looks like a secret`);
  for (const { path, blob, line, rule, message } of found) {
    const version = blob === undefined ? '' : ` (git show ${blob.slice(0, 12)})`;
    console.error(`  ${path}:${String(line)}${version} ${rule}: ${message}`);
  }
  exitCode ||= found.length > 0 ? 1 : 0;
}

tell('files', await findSecrets(presentFiles(ROOT)));
if (values.history) {
  if (isCheckout(ROOT)) tell('history', await findSecrets(pastFiles(ROOT)));
  else console.log('history: not scanned: this is no git checkout');
}
if (exitCode !== 0) {
  console.error('A real secret must be revoked where it came from; removing it is not enough.');
  console.error('What is none, and must stay, is listed in quality/checks/secrets/allowed.ts with the reason.');
}
// At once: secretlint keeps time marks of each rule and file, and would sort them for minutes when the event loop turns.
process.exit(exitCode);
