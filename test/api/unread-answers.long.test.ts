import { vi } from 'vitest';
import { unreadAnswers } from '../helpers/unread/answers.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

unreadAnswers(['export', 'channel', 'list', 'transcript over tRPC']);
