import { expect, it } from 'vitest';
import { ClosedEarlyError, unreachableCode } from '../../outbound/request-failures.ts';

it('blames a connection that was closed at once on the receiver, as one that may work later', () => {
  expect(unreachableCode(new ClosedEarlyError())).toBe('reset');
});

it.each([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'EPROTO',
])('takes %s for a failure of TLS', (code) =>
  expect(unreachableCode(Object.assign(new Error(code), { code }))).toBe('tls'),
);

it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'UND_ERR_INVALID_ARG'])('does not blame %s on the receiver', (code) => {
  expect(unreachableCode(Object.assign(new Error(code), { code }))).toBeUndefined();
});

it('does not blame a mistake of ours on the receiver', () => {
  expect(unreachableCode(new TypeError('x is not a function'))).toBeUndefined();
});
