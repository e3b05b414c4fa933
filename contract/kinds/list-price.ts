import type { PricesOf } from './kind.ts';
import type { Thousandths } from '../money.ts';

export const listPrices = {
  listItem: {
    setting: 'PRICE_LIST_ITEM',
    default: '0.001',
    about: "Price of a list, for each of the profile's posts",
  },
} as const;

/** Shorter lists are priced like a list of this many posts. */
const LIST_LEAST_ITEMS = 10;

/** @returns the price of both parts of a list, by the number of posts in the profile; the minimum where it is unknown */
export function listPrice({ listItem }: PricesOf<typeof listPrices>, postsCount: number | undefined): Thousandths {
  return listItem * Math.max(LIST_LEAST_ITEMS, postsCount ?? 0);
}

/** Splits the price of a list into those of its parts; the posts get the odd thousandth. */
export function splitListPrice(price: Thousandths): { readonly posts: Thousandths; readonly reels: Thousandths } {
  const reels = Math.floor(price / 2);
  return { posts: price - reels, reels };
}
