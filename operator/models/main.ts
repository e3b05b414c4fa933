// npm run models [-- list | install NAME… | verify] [-- --base-url URL]: manages the speech models.
import { parseArgs } from 'node:util';
import { loadConfigOrExit } from '../../config.ts';
import { runOperatorCommand } from '../../runtime/operator-command.ts';
import { runModels } from '../../speech/models/model-commands.ts';

const USAGE = 'usage: npm run models [-- list | install [NAME…] | verify] [--base-url URL]';

await runOperatorCommand(USAGE, async (args, say) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { 'base-url': { type: 'string' } },
    allowPositionals: true,
  });
  const config = loadConfigOrExit(process.env, []);
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => abort.abort(new Error('stopped; the next run continues the download')));
  }
  const [command = 'list', ...names] = positionals;
  const isSuccess = await runModels(command, names, {
    modelsDir: config.speechModelsDir,
    hubUrl: values['base-url'] ?? config.SPEECH_MODELS_URL,
    packagesUrl: config.SPEECH_PACKAGES_URL,
    isLive: process.stdout.isTTY,
    say,
    signal: abort.signal,
  });
  process.exitCode = isSuccess ? 0 : 1;
  return undefined;
});
