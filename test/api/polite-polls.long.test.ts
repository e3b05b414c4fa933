import { describe, vi } from 'vitest';
import { politePolls } from '../helpers/polite-polls.ts';

vi.setConfig({ testTimeout: 120_000 });

describe('a limit of 90 requests a minute', () => politePolls({ limit: 90, ahead: 0 }));
