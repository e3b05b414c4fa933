import { describe } from 'vitest';
import { longAnswers } from '../helpers/long-answers.ts';

describe('the longest answer', () => longAnswers(1));
