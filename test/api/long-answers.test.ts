import { describe } from 'vitest';
import { longAnswers } from '../helpers/long-answers.ts';

// Larger answers are in long-answers.long.test.ts.
describe('a long answer', () => longAnswers(1 / 4));
