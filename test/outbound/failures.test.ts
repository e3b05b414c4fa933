import { expect, it } from 'vitest';
import { NoAnswerError, unreachableCode } from '../../outbound/request-failures.ts';

it('attributes a connection that is closed at once to the receiver, as a temporary failure', () => {
  expect(unreachableCode(new NoAnswerError('reset', 'closed'))).toBe('reset');
});

it.each([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'EPROTO',
])('reports %s as a failure of TLS', (code) =>
  expect(unreachableCode(Object.assign(new Error(code), { code }))).toBe('tls'),
);

it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'UND_ERR_INVALID_ARG'])('does not attribute %s to the receiver', (code) => {
  expect(unreachableCode(Object.assign(new Error(code), { code }))).toBeUndefined();
});

it('does not attribute an internal error to the receiver', () => {
  expect(unreachableCode(new TypeError('x is not a function'))).toBeUndefined();
});
