import type { Library } from '../library.ts';
import type { Stats } from '../stats.ts';
import type { Query } from './query.ts';

/** One request, as the methods see it. */
export interface ApiCall {
  readonly query: Query;
  readonly library: Library;
  readonly stats: Stats;
  readonly baseUrl: string;
}
