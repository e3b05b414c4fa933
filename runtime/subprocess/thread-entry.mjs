// The entry module of a thread (in-thread.ts). It loads the module that does the work, and posts its items on demand.
import { parentPort, workerData } from 'node:worker_threads';

const { module, input } = workerData;
const { default: work } = await import(module);
const items = work(input)[Symbol.iterator]();

parentPort.on('message', () => {
  try {
    const { done, value } = items.next();
    parentPort.postMessage(done ? undefined : { item: value });
  } catch (error) {
    parentPort.postMessage({ error: String(error?.stack ?? error) });
  }
});
