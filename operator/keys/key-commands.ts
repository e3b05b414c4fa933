import { reservedOf, scopeSchema, scopes, type ApiKey, type Scope } from '../../contract/http/account-schemas.ts';
import { formatMoney, parseMoney } from '../../contract/money.ts';
import { receiverSecrets } from '../../outbound/webhooks/webhook-signature.ts';
import { unknownCommand, UsageError } from '../../runtime/operator-command.ts';
import type { AccountStore } from '../../store/accounts/account-store.ts';
import type { KeyStore } from '../../store/accounts/key-store.ts';

export const USAGE = `usage: npm run keys -- create NAME [--scopes read,jobs,webhooks] [--credit 5.000]
       npm run keys -- list
       npm run keys -- revoke NAME|ID
       npm run keys -- credit NAME|ID +5.000|-5.000
       npm run keys -- webhook-secret https://receiver.example

Without --scopes a key may do everything; without --credit its jobs are counted and never refused.
MONGODB_URI names the database of the service; the default is the one that npm start runs in DATA_DIR. The secret of a
receiver is derived from WEBHOOK_SECRETS.`;

interface KeyCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

const NAME = /^[\w.@ -]{1,60}$/;
const AMOUNT = /^\d{1,9}\.\d{3}$/;

export function createKeyCommands({ keys, accounts }: { readonly keys: KeyStore; readonly accounts: AccountStore }) {
  /** Finds a valid key by its name, which may be reused after a key was revoked. */
  const find = async (nameOrId: string | undefined): Promise<ApiKey> => {
    const all = await keys.list();
    const found = all.find(
      ({ id, name, revokedAt }) => id === nameOrId || (name === nameOrId && revokedAt === undefined),
    );
    if (found === undefined) throw new UsageError(`There is no key ${JSON.stringify(nameOrId ?? '')}.`);
    return found;
  };

  const create = async (name: string, options: KeyCommand['options']): Promise<string> => {
    if (!NAME.test(name)) throw new UsageError('NAME: up to 60 letters, digits, spaces and . _ - @');
    if ((await keys.list()).some((key) => key.name === name && key.revokedAt === undefined)) {
      throw new UsageError(`There is a key ${JSON.stringify(name)} already; revoke it first.`);
    }
    const credit = options['credit'] === undefined ? undefined : amountOf(options['credit']);
    const key = await keys.create({ name, scopes: scopesOf(options['scopes']) });
    await accounts.open(key.id, credit);
    return [
      `Key ${key.id} "${name}": ${key.scopes.join(', ')}; ${credit === undefined ? 'unlimited' : `credit ${formatMoney(credit)}`}`,
      'Its holder sends it as "Authorization: Bearer …". It is shown this once:',
      key.text,
    ].join('\n');
  };

  const list = async (): Promise<string> => {
    const rows = await Promise.all(
      (await keys.list()).map(async ({ id, name, scopes: granted, createdAt, revokedAt }) => {
        const account = await accounts.get(id);
        const left = account === undefined || account.isUnlimited ? 'unlimited' : formatMoney(account.available);
        const reserved = account === undefined ? 0 : reservedOf(account);
        const money = `left ${left}, reserved ${formatMoney(reserved)}, spent ${formatMoney(account?.spent ?? 0)}`;
        const state = revokedAt === undefined ? 'good' : `revoked ${revokedAt.slice(0, 10)}`;
        return [id, name, granted.join(','), `made ${createdAt.slice(0, 10)}`, state, money].join('  ');
      }),
    );
    return rows.length === 0 ? 'There are no keys.' : rows.join('\n');
  };

  const changeCredit = async (nameOrId: string | undefined, change: string | undefined): Promise<string> => {
    const [, sign, amount] = /^([+-])(.*)$/.exec(change ?? '') ?? [];
    if (sign === undefined) throw new UsageError('credit: an amount with its sign, such as +5.000');
    const key = await find(nameOrId);
    const account = await accounts.get(key.id);
    if (account === undefined || account.isUnlimited) throw new UsageError(`Key ${key.id} is unlimited.`);
    const isDone = await accounts.grant(key.id, sign === '+' ? amountOf(amount) : -amountOf(amount));
    if (!isDone) throw new UsageError(`Key ${key.id} has less than that left.`);
    return `Key ${key.id} has ${formatMoney((await accounts.get(key.id))?.available ?? 0)} left.`;
  };

  return {
    async run({ command, args, options }: KeyCommand): Promise<string> {
      switch (command) {
        case 'create':
          return create(args[0] ?? '', options);
        case 'list':
          return list();
        case 'revoke': {
          const key = await find(args[0]);
          await keys.revoke(key.id);
          return `Key ${key.id} "${key.name}" is revoked; it stops working within seconds.`;
        }
        case 'credit':
          return changeCredit(args[0], args[1]);
        default:
          throw unknownCommand(command);
      }
    },
  };
}

function amountOf(text: unknown): number {
  if (typeof text !== 'string' || !AMOUNT.test(text))
    throw new UsageError('An amount has three decimals, such as 5.000.');
  return parseMoney(text);
}

function scopesOf(text: unknown): readonly Scope[] {
  if (text === undefined) return scopes;
  const parsed = scopeSchema
    .array()
    .min(1)
    .safeParse(typeof text === 'string' ? text.split(',') : []);
  if (!parsed.success) throw new UsageError(`--scopes: a comma-separated list of ${scopes.join(',')}`);
  return [...new Set(parsed.data)];
}

/**
 * Returns the secret for one receiver (`npm run keys -- webhook-secret URL`).
 * @param keys those of `WEBHOOK_SECRETS`
 * @returns one secret a line, in the order of the keys
 */
export function webhookSecret(keys: readonly Uint8Array[], url: string | undefined): string {
  const isUrl = url !== undefined && /^https?:\/\//i.test(url) && URL.canParse(url);
  if (!isUrl) throw new UsageError('webhook-secret: an address of the receiver, such as https://receiver.example');
  if (keys.length === 0) throw new UsageError('webhook-secret: WEBHOOK_SECRETS is not set, so no webhook is signed.');
  return receiverSecrets(keys, new URL(url)).join('\n');
}
