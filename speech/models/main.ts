// npm run models [-- list | install NAME… | verify] [-- --base-url URL]: the models of the sherpa engine.
import { parseArgs } from 'node:util';
import { loadConfigOrExit } from '../../config.ts';
import { runModels, UsageError } from './command.ts';

const USAGE = 'usage: npm run models [-- list | install [NAME…] | verify] [--base-url URL]';

const config = loadConfigOrExit(process.env, []);
const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => abort.abort(new Error('stopped; the next run goes on from here')));
}
try {
  const { values, positionals } = parseArgs({ options: { 'base-url': { type: 'string' } }, allowPositionals: true });
  const [command = 'list', ...names] = positionals;
  const isRight = await runModels(command, names, {
    modelsDir: config.speechModelsDir,
    baseUrl: (values['base-url'] ?? config.SPEECH_MODELS_URL).replace(/\/+$/, ''),
    isLive: process.stdout.isTTY,
    say: (line) => console.log(line),
    signal: abort.signal,
  });
  process.exitCode = isRight ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  // parseArgs throws a TypeError for options that it does not know.
  if (error instanceof UsageError || error instanceof TypeError) console.error(USAGE);
  process.exitCode = 1;
}
