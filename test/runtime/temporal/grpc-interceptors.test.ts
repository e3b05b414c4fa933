import { Connection, isGrpcCancelledError } from '@temporalio/client';
import { expect, inject, it } from 'vitest';
import { FaultProxy } from '../../../quality/fault-proxy.ts';
import { grpcInterceptors } from '../../../runtime/temporal/temporal-client.ts';

it('ends a call that waits for its next attempt when the connection is closed', async () => {
  const line = await FaultProxy.start(inject('temporalAddress'));
  try {
    const connection = await Connection.connect({ address: line.address, interceptors: [...grpcInterceptors] });
    line.spoil('down');
    const calls = Array.from({ length: 5 }, () =>
      connection.workflowService.getSystemInfo({}).then(
        () => 'an answer',
        (error: unknown) => error,
      ),
    );
    // The first attempts have failed when a call without retries would have.
    await expect(connection.withDeadline(Date.now() + 300, () => connection.healthService.check({}))).rejects.toThrow();
    await connection.close();
    const errors = await Promise.all(calls);
    expect(errors.map((error) => isGrpcCancelledError(error))).toEqual(calls.map(() => true));
  } finally {
    await line.stop();
  }
}, 60_000);
