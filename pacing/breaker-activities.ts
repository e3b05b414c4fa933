import { failureFor, type Failure } from '../contract/failures.ts';
import type { Breakers } from './breakers.ts';

export const createBreakerActivities = ({ breakers }: { readonly breakers: Breakers }) => ({
  /** @returns why a job fails whose activity has waited for its route for as long as it may */
  refusalOf: async ({ route }: { route: string }): Promise<Failure> => {
    const found = await breakers.of(route).open();
    if (found !== undefined) return { code: found.open.code, message: found.open.reason };
    return failureFor('routeBusy');
  },
});
