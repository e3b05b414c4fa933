import { Connection } from '@temporalio/client';
import { expect, inject, it } from 'vitest';
import { createReconnectingClient } from '../../../runtime/temporal/reconnecting-client.ts';
import { FaultProxy } from '../../../quality/fault-proxy.ts';
import { until } from '../../helpers/until.ts';

it('a client works again after its line to Temporal was silent, also while it was made anew', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  const line = await FaultProxy.start(inject('temporalAddress'));
  // A connection that is cut while nothing answers is followed by one that hears nothing from the beginning.
  const options = {
    address: line.address,
    channelArgs: { 'grpc.max_reconnect_backoff_ms': 500, 'grpc.use_local_subchannel_pool': 1 },
  };
  let replaced = 0;
  const reopen = (): Connection => {
    replaced += 1;
    return Connection.lazy(options);
  };
  const { client, close } = createReconnectingClient(await Connection.connect(options), {
    namespace: 'default',
    reopen,
    pingMs: 300,
  });
  const ask = () =>
    client.connection.withDeadline(Date.now() + 2_000, () => client.connection.workflowService.getSystemInfo({}));
  await ask();
  line.spoil('down');
  line.mend();
  line.spoil('hang');
  await until(() => replaced > 0, { within: 30_000, what: 'another connection' });
  await expect(ask()).rejects.toThrow();
  line.mend();
  await until(() => ask().catch(() => undefined), { within: 30_000, what: 'an answer' });
  await close();
  await line.stop();
  process.off('warning', onWarning);
  // Node warns when each look, of which there is one every few seconds for months, leaves a listener behind.
  expect(warnings.map(({ name }) => name)).not.toContain('MaxListenersExceededWarning');
}, 90_000);
