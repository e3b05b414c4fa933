import { describe, vi } from 'vitest';
import { politePolls } from '../helpers/polite-polls.ts';

vi.setConfig({ testTimeout: 120_000 });

// A sixth of the contract's limit, which polite-polls.long.test.ts has.
describe('a limit of 15 requests a minute', () => politePolls({ limit: 15, ahead: 6 }));
