import { z } from 'zod';
import type { PriceSetting } from './kind.ts';
import { kinds } from './kinds.ts';
import { parseMoney, type Thousandths } from '../money.ts';
import type { RecordType } from '../download-record.ts';

type RowsOf<Type extends RecordType> = Type extends RecordType ? (typeof kinds)[Type]['prices'] : never;
type NameOf<Rows> = Rows extends object ? keyof Rows : never;
type SettingOf<Rows> = Rows extends Readonly<Record<string, infer Row extends PriceSetting>> ? Row['setting'] : never;
type PriceName = NameOf<RowsOf<RecordType>>;
export type PriceSettingName = SettingOf<RowsOf<RecordType>>;

/** The price table, by the names of the prices in their kinds. */
export type Prices = Readonly<Record<PriceName, Thousandths>>;

const rows = Object.values(kinds).flatMap(({ prices }) => Object.entries<PriceSetting>(prices));

const priceSchema = z.string().regex(/^\d{1,6}\.\d{3}$/, 'three decimals, such as 0.005');

export const priceSettings: Readonly<Record<PriceSettingName, z.ZodOptional<z.ZodString>>> = Object.fromEntries(
  rows.map(([, { setting, about }]) => [setting, priceSchema.optional().describe(about)]),
) as Record<PriceSettingName, z.ZodOptional<z.ZodString>>;

/** @param configured decimal strings with three decimals, by the names of the settings */
export function priceTable(configured: { readonly [Name in PriceSettingName]?: string | undefined }): Prices {
  const table = rows.map(([name, row]) => [
    name,
    parseMoney(configured[row.setting as PriceSettingName] ?? row.default),
  ]);
  return Object.freeze(Object.fromEntries(table) as Prices);
}
