import type { PricesOf } from './kind.ts';
import type { Thousandths } from './money.ts';

export const listPrices = {
  listItem: {
    setting: 'PRICE_LIST_ITEM',
    default: '0.001',
    about: "Price of a list, for each of the profile's posts",
  },
} as const;

/** A list that has next to nothing is priced as one of that many posts: it was asked for all the same. */
const LIST_LEAST_ITEMS = 10;

/** The price of both parts of a list, by how many posts the profile counts; where it does not tell, the least. */
export function listPrice({ listItem }: PricesOf<typeof listPrices>, postsCount: number | undefined): Thousandths {
  return listItem * Math.max(LIST_LEAST_ITEMS, postsCount ?? 0);
}

/** The two parts of a list's price; the posts have the odd thousandth. */
export function splitListPrice(price: Thousandths): { readonly posts: Thousandths; readonly reels: Thousandths } {
  const reels = Math.floor(price / 2);
  return { posts: price - reels, reels };
}
