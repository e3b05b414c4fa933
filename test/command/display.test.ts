import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { barText, createDisplay, progressText, visible } from '../../command/display.ts';

/** What was written, to a terminal of 80 columns or elsewhere. */
function screen({ isTTY, ...options }: { isTTY: boolean; isColoured?: boolean; isMoving?: boolean }) {
  const stream = (): PassThrough => Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 24 });
  const [out, err] = [stream(), stream()];
  const display = createDisplay({
    ...{ isColoured: true, isMoving: true },
    ...options,
    out,
    err: err as unknown as NodeJS.WriteStream,
  });
  // Node 26 hands out one write at a time.
  const read = (one: PassThrough): string => {
    let text = '';
    for (let chunk = one.read() as Buffer | null; chunk !== null; chunk = one.read() as Buffer | null) {
      text += chunk.toString();
    }
    return text;
  };
  return { display, out: () => read(out), err: () => read(err) };
}

const progress = { stage: 'fetching', percent: 42, text: 'fetching 3.2 MB' };

describe('progress', () => {
  it('is a line for each change where nobody watches, without an escape code', () => {
    const { display, out, err } = screen({ isTTY: false });
    const work = display.work('tea\u001b[2J');
    work.show({ ...progress, stage: 'waiting', percent: undefined, text: 'waiting: refused' });
    work.show(progress);
    work.show({ ...progress, percent: 44 });
    work.end();
    display.note('bad', 'problem');
    display.print('tea.m4a');
    display.end();
    expect(err()).toBe('tea[2J: waiting: refused\ntea[2J: fetching 3.2 MB, 25 %\nbad\n');
    expect(out()).toBe('tea.m4a\n');
  });

  it('is bars that move on a terminal, below lines that stay', () => {
    const { display, err } = screen({ isTTY: true });
    const [one, two] = [display.work('one'), display.work('two')];
    one.show(progress);
    two.show({ ...progress, percent: undefined });
    display.note('three is there', 'good');
    const drawn = err();
    expect(stripVTControlCharacters(drawn)).toContain(
      `${barText(42)}  one  fetching 3.2 MB\n${barText(undefined)}  two`,
    );
    expect(drawn).toContain('\u001b[32mthree is there\u001b[39m\n');
    one.end();
    two.end('two: saved');
    expect(stripVTControlCharacters(err()).trimEnd()).toMatch(/two: saved$/);
    display.end();
  });

  it('of many together is a bar below the others', () => {
    const { display, err } = screen({ isTTY: true });
    display.whole(0, 4);
    display.work('one').show(progress);
    display.whole(1, 4);
    display.note('done');
    const drawn = stripVTControlCharacters(err());
    expect(drawn.trimEnd()).toMatch(
      new RegExp(`done\\n${barText(42)}  one  fetching 3.2 MB\\n${barText(25)}  1 of 4$`),
    );
    display.end();
    const elsewhere = screen({ isTTY: false });
    elsewhere.display.whole(1, 4);
    expect(elsewhere.err()).toBe('');
  });

  it('has no colours with NO_COLOR, and nothing that moves on a dumb terminal', () => {
    const plain = screen({ isTTY: true, isColoured: false });
    plain.display.note('bad', 'problem');
    expect(plain.err()).not.toContain('\u001b[3');
    const dumb = screen({ isTTY: true, isColoured: false, isMoving: false });
    dumb.display.work('one').show(progress);
    expect(dumb.err()).toBe('one: fetching 3.2 MB, 25 %\n');
  });

  it('is told in words', () => {
    expect(barText(50)).toBe(`${'█'.repeat(12)}${'░'.repeat(12)}  50 %`);
    const until = '2026-11-21T09:30:00.000Z';
    expect(progressText({ stage: 'waiting', reason: 'refused', until })).toBe(
      'waiting: refused (until 09:30 UTC at least)',
    );
    expect(progressText({ stage: 'fetching', downloaded_bytes: 3_200_000, total_bytes: 10_000_000 })).toBe(
      'fetching 3.2 MB of 10.0 MB',
    );
    expect(progressText({ stage: 'listing', items: 120, total_items: 400 })).toBe('listing 120 of 400');
    expect(progressText({ stage: 'detecting_speech' })).toBe('detecting speech');
  });

  it('shows texts of strangers without what commands a terminal', () => {
    expect(visible('a\u001b]0;x\u0007b\u009b2Jc\r\u202ed\ne\tf')).toBe('a]0;xb2Jcd\ne\tf');
  });
});
