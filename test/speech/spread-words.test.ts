import { describe, expect, it } from 'vitest';
import { spreadWords } from '../../speech/spread-words.ts';
import { span } from '../helpers/openai-bench.ts';

describe('spreadWords', () => {
  it('distributes words over the speech in order and by length', () => {
    const speech = [span(10, 12), span(20, 21)];
    const words = spreadWords(' aaa  bbb ccc\n', speech);
    expect(words).toEqual([
      { text: 'aaa', ...span(10, 11) },
      { text: 'bbb', ...span(11, 12) },
      { text: 'ccc', ...span(20, 21) },
    ]);
    expect(spreadWords('a bbbbb', [span(0, 8)])).toEqual([
      { text: 'a', ...span(0, 2) },
      { text: 'bbbbb', ...span(2, 8) },
    ]);
  });

  it('puts a word at a pause on the side that contains its middle', () => {
    const [, middle] = spreadWords('aaa bbb ccc', [span(0, 4), span(10, 12)]);
    expect(middle).toEqual({ text: 'bbb', ...span(2, 4) });
    const [, later] = spreadWords('aaa bbb ccc', [span(0, 2.5), span(10, 13.5)]);
    expect(later).toEqual({ text: 'bbb', ...span(10, 11.5) });
  });

  it('keeps all words of speech without duration, and returns none without words or speech', () => {
    expect(spreadWords('a b', [span(3, 3)])).toHaveLength(2);
    expect(spreadWords('', [span(0, 1)])).toEqual([]);
    expect(spreadWords('a', [])).toEqual([]);
  });
});
