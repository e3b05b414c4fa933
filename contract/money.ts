/** Money is counted in integer thousandths, so that sums stay exact. */
export type Thousandths = number;

/** @returns a decimal string with three decimals, such as `0.005` */
export function formatMoney(amount: Thousandths): string {
  const digits = String(amount).padStart(4, '0');
  return `${digits.slice(0, -3)}.${digits.slice(-3)}`;
}

/** @param text a decimal string with exactly three decimals */
export function parseMoney(text: string): Thousandths {
  return Number(text.replace('.', ''));
}
