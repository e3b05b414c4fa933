import { vi } from 'vitest';
import { unreadAnswers } from '../helpers/unread/answers.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

// One of each kind of answer; the others are in unread-answers.long.test.ts.
unreadAnswers(['transcript', 'file', 'channel over tRPC']);
