import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { webhookSecret } from '../../operator/keys/key-commands.ts';
import { UsageError } from '../../runtime/operator-command.ts';
import { parseWebhookSecret } from '../../outbound/webhooks/webhook-signature.ts';

const keys = [randomBytes(32), randomBytes(24)];

it('a receiver has one secret for all of its URLs, in the format of Standard Webhooks', () => {
  const printed = webhookSecret(keys, 'https://Receiver.example:443/hooks?x=1');
  expect(printed).toBe(webhookSecret(keys, 'https://receiver.example'));
  expect(printed.split('\n').map((line) => parseWebhookSecret(line)?.length)).toEqual([32, 32]);
  expect(printed).not.toBe(webhookSecret(keys, 'https://receiver.example:8443'));
});

it.each([undefined, '', 'receiver.example', 'ftp://receiver.example', 'https://'])(
  'the secret of the invalid receiver %j is refused',
  (url) => expect(() => webhookSecret(keys, url)).toThrow(UsageError),
);

it('no receiver has a secret if webhooks are not signed', () => {
  expect(() => webhookSecret([], 'https://receiver.example')).toThrow('WEBHOOK_SECRETS');
});
