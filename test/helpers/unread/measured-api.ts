import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ApiProcessOptions, MemoryTold } from './api-process.ts';

export interface MeasuredApi {
  readonly url: string;
  readonly rpcUrl: string;
  /** @param holdBytes the process takes so much more before it tells */
  memory(holdBytes?: number): Promise<MemoryTold>;
  stop(): Promise<void>;
}

/** Starts the api as a process of its own, so that what it holds is not mixed up with what the test does. */
export async function startMeasuredApi(options: ApiProcessOptions): Promise<MeasuredApi> {
  const script = new URL('api-process.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--expose-gc', script, JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.setMaxListeners(0);
  const told = async <Message>(): Promise<Message> => {
    const [message] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('the process of the api has ended'))),
    ])) as [Message];
    return message;
  };
  const { url, rpcPort } = await told<{ url: string; rpcPort: number }>();
  return {
    ...{ url, rpcUrl: `http://127.0.0.1:${String(rpcPort)}` },
    async memory(holdBytes = 0) {
      const answer = told<MemoryTold>();
      child.send(holdBytes);
      return answer;
    },
    async stop() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
