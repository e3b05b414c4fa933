// The compiler runs in a process of its own, because the worker would keep its 100 MB of memory. This file is JavaScript,
// because it also runs where no loader for TypeScript exists.
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
