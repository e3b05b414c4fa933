import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  canonicalLanguage,
  LANGUAGE_PATTERN,
  languageSchema,
  threeLetterCode,
  unknownLanguage,
} from '../../contract/text/language-tags.ts';

describe('language tags', () => {
  it.each([
    ['en', 'en'],
    ['EN', 'en'],
    ['pt-br', 'pt-BR'],
    ['ZH-hant-tw', 'zh-Hant-TW'],
    ['iw', 'he'],
    ['in', 'id'],
    ['xx', 'xx'],
  ])('reads %s as %s', (text, tag) => {
    expect(languageSchema.parse(text)).toBe(tag);
    expect(canonicalLanguage(text)).toBe(tag);
  });

  it.each(['', ' en', 'en\n', 'a.en', 'live_chat', 'e', '--exec', '../en', 'en/../de', 'x'.repeat(200)])(
    'refuses %j',
    (text) => {
      expect(languageSchema.safeParse(text).success).toBe(false);
    },
  );

  it('explains an invalid tag in one sentence', () => {
    const messages = (text: string) => languageSchema.safeParse(text).error?.issues.map(({ message }) => message);
    expect(messages('english please')).toEqual(['must be a BCP 47 language tag such as "en" or "pt-BR"']);
    expect(messages('a'.repeat(200))).toHaveLength(1);
    expect(messages(`en-${'abcdefgh-'.repeat(20)}us`)).toHaveLength(1);
  });

  it('are compared with those of a speech engine by language only', () => {
    expect(unknownLanguage('pt-BR', ['en', 'pt'])).toBeUndefined();
    expect(unknownLanguage('xx', undefined)).toBeUndefined();
  });

  it('that a speech engine does not support are rejected with the supported ones or their number', () => {
    const five = ['aa', 'bb', 'cc', 'dd', 'ee'];
    const few = unknownLanguage('pt-BR', five)?.message;
    for (const tag of ['pt-BR', ...five]) expect(few).toContain(` ${tag}`);
    expect(unknownLanguage('pt-BR', [...five, 'ff'])?.message).toContain(' 6 ');
    expect(unknownLanguage('pt-BR', [...five, 'ff'])?.message).not.toContain(' aa');
  });

  it.each(
    'de deu,fr fra,es spa,pt-BR por,ja jpn,sv swe,zh-Hans zho,cs ces,mk mkd,he heb,yue yue,und und'
      .split(',')
      .map((row) => row.split(' ') as [string, string]),
  )('have the code of three letters for terminology: %s, %s', (tag, code) => {
    expect(threeLetterCode(tag)).toBe(code);
  });

  it('are plain strings in the OpenAPI document', () => {
    const registry = new OpenAPIRegistry();
    const body = z.object({ language: languageSchema }).meta({ id: 'LanguageRequest' });
    registry.registerPath({
      method: 'post',
      path: '/',
      request: { body: { content: { 'application/json': { schema: body } } } },
      responses: {},
    });
    const { components } = new OpenApiGeneratorV31(registry.definitions).generateComponents();
    expect(components?.schemas?.['LanguageRequest']).toEqual({
      type: 'object',
      properties: {
        language: {
          type: 'string',
          maxLength: 35,
          pattern: LANGUAGE_PATTERN,
          description: 'BCP 47 language tag',
          examples: ['en', 'pt-BR'],
        },
      },
      required: ['language'],
    });
  });
});
