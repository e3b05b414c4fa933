import { describe, expect, it } from 'vitest';
import { createEventParser } from '../../clients/typescript/src/event-parser.ts';

describe('the parser of event streams', () => {
  const parsed = (...pieces: string[]) => {
    const ids: string[] = [];
    const parse = createEventParser((id) => ids.push(id));
    return { events: pieces.flatMap((piece) => parse(piece)), ids };
  };

  it.each([
    [
      'comments, types, ids without an event and data over two lines',
      'retry: 2000\n\n:\nid: 1\n\nevent: changed\ndata: {"a":\ndata: 1}\nid: 2\n\ndata:x\n\n',
      ['{"a":\n1}', 'x'],
      ['1', '2', '2'],
    ],
    ['CRLF', 'id: 1\r\ndata: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n', ['a\nb', 'c'], ['1', '1']],
    ['CR alone', 'id: 1\rdata: a\r\rdata: b\r\r', ['a', 'b'], ['1', '1']],
    ['empty data and a field without a colon', 'data\n\ndata:\ndata\n\n', ['', '\n'], []],
    ['an id with NUL, which is none', 'id: \0\ndata: a\n\n', ['a'], []],
    ['an event that is cut', 'data: a\n\ndata: cut', ['a'], []],
  ])('reads %s however the stream is cut', (_what, text, events, ids) => {
    for (const pieces of [[text], Array.from(text), text.match(/[^]{1,3}/g)!, [text.slice(0, 9), '', text.slice(9)]]) {
      expect(parsed(...pieces)).toEqual({ events, ids });
    }
  });

  it.each([
    ['a line without an end', 'x'],
    ['data without an end', 'data: x\n'],
    ['comments without an end', ': x\n'],
    ['fields of an unknown name', 'x: y\r\n'],
    ['ids without an event', 'id: 1\r'],
  ])('rejects %s beyond the limit', (_what, piece) => {
    const parse = createEventParser(undefined, 1_000);
    expect(parse('data: x\n\n'.repeat(1_000))).toHaveLength(1_000);
    expect(() => {
      for (let sent = 0; sent <= 2_000; sent += piece.length) parse(piece);
    }).toThrow('The service sent an event that is too long.');
  });
});
