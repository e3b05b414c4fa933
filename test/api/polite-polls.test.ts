import { describe, vi } from 'vitest';
import { politePolls } from '../helpers/polite-polls.ts';

vi.setConfig({ testTimeout: 120_000 });

// A third of the contract's limit, which polite-polls.long.test.ts has.
describe('a limit of 30 requests a minute', () => politePolls({ limit: 30, ahead: 12 }));
