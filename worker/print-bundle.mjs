// A process of its own for the compiler: its 100 MB would otherwise stay with the worker for good. JavaScript, since it
// also runs where no loader for TypeScript is at hand.
import { bundleWorkflowCode } from '@temporalio/worker';

const silent = () => undefined;
const logger = {
  ...{ log: silent, trace: silent, debug: silent, info: silent, warn: silent },
  error: (message) => process.stderr.write(`${message}\n`),
};
const [, , workflowsPath, interceptorsPath, payloadConverterPath, failureConverterPath] = process.argv;
const { code } = await bundleWorkflowCode({
  workflowsPath,
  payloadConverterPath,
  failureConverterPath,
  workflowInterceptorModules: [interceptorsPath],
  logger,
});
process.stdout.write(code);
