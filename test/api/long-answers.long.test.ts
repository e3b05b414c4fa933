import { describe } from 'vitest';
import { longAnswers } from '../helpers/long-answers.ts';

describe('the longest answer', () => longAnswers({ oldLineBytes: [14_700_000, 29_400_000], part: 1 }));
