import { loadConfig, requireSettings } from '../../config.ts';
import type { Stack } from '../../local/stack.ts';

/** The settings of a stack as its own parts read them, defaults included. */
export const configOf = (stack: Pick<Stack, 'env'>) => requireSettings(loadConfig(stack.env), ['MONGODB_URI']);
