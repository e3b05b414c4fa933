import { describe, expect, it, vi } from 'vitest';
import { createGuardedConnector } from '../../outbound/connector.ts';
import { ForbiddenTargetError } from '../../outbound/request-failures.ts';
import { countOutgoingSockets, nothing } from './receivers.ts';

describe('the connector', () => {
  it.each(['127.0.0.1', '0.0.0.0', '::1', '::', '::ffff:7f00:1', '10.0.0.1', '64:ff9b::7f00:1'])(
    'refuses the literal address %s, which is never looked up, before it opens a socket',
    async (hostname) => {
      const lookup = vi.fn(() => Promise.resolve(['93.184.215.14']));
      const sockets = countOutgoingSockets();
      const connect = createGuardedConnector({
        allowedNetworks: nothing,
        lookup,
        connectTimeoutMs: 1_000,
        signal: new AbortController().signal,
      });
      for (const protocol of ['http:', 'https:']) {
        const error = await new Promise<Error | null>((resolve) => {
          connect({ hostname, protocol, port: '8080', host: hostname }, (...[failure]) => resolve(failure));
        });
        expect(error).toBeInstanceOf(ForbiddenTargetError);
      }
      expect(sockets()).toBe(0);
      expect(lookup).not.toHaveBeenCalled();
    },
  );
});
