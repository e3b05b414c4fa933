import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { normalizedPage } from '../../contract/kinds/media.ts';

const normalized = (url: string): string => normalizedPage(new URL(url));

describe('normalizedPage', () => {
  it.each([
    ['HTTP://Example.COM:80/Tea', 'http://example.com/Tea'],
    ['https://example.com:443', 'https://example.com/'],
    ['https://example.com./tea', 'https://example.com/tea'],
    ['https://example.com/tea#t=30', 'https://example.com/tea'],
    ['https://example.com/tea#__youtubedl_smuggle=%7B%7D', 'https://example.com/tea'],
    ['https://example.com/tea?utm_source=x&v=1&fbclid=2&UTM_Medium=y', 'https://example.com/tea?v=1'],
    ['https://example.com/tea?si=abc', 'https://example.com/tea'],
    ['https://example.com/tea?', 'https://example.com/tea'],
    ['https://example.com/tea?&v=1&&t=2', 'https://example.com/tea?v=1&t=2'],
  ])('is the same for all who share it: %s', (given, expected) => {
    expect(normalized(given)).toBe(expected);
    expect(normalized(expected)).toBe(expected);
  });

  it.each([
    'http://example.com:8080/tea',
    'https://example.com/tea?b=2&a=1&a=%20',
    'https://example.com/tea?size=big&site=1',
    'https://example.com/Tea/',
  ])('keeps what may lead to another page: %s', (url) => {
    expect(normalized(url)).toBe(url);
  });
});

describe('the setting MEDIA_SITES', () => {
  it.each([
    [undefined, 'all'],
    ['all', 'all'],
    ['OFF', 'off'],
    ['Example.com, video.example.org', ['example.com', 'video.example.org']],
  ])('%s', (given, expected) => {
    expect(loadConfig({ MEDIA_SITES: given }).platforms.mediaSites).toEqual(expected);
  });

  it.each(['https://example.com', 'a b', ','])('is rejected at start: %s', (given) => {
    expect(() => loadConfig({ MEDIA_SITES: given })).toThrow(/MEDIA_SITES: off, all, or names of hosts/);
  });
});
