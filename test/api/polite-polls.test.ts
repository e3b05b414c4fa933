import { describe, vi } from 'vitest';
import { politePolls } from '../helpers/polite-polls.ts';

vi.setConfig({ testTimeout: 120_000 });

// The limit is a third of the documented one, which polite-polls.long.test.ts uses.
describe('a limit of 30 requests a minute', () => politePolls({ limit: 30, ahead: 12 }));
