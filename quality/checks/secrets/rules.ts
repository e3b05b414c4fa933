import { creator as patterns } from '@secretlint/secretlint-rule-pattern';
import { creator as recommended } from '@secretlint/secretlint-rule-preset-recommend';
import type { lintSource } from '@secretlint/core';
import { settings } from '../../../config.ts';

const SECRET_SETTINGS = Object.keys(settings.shape).filter((name) => /(SECRETS?|TOKEN|KEY|PASSWORD)$/.test(name));

/** Forms of secrets that secretlint does not know: ours, and those of the platforms. The form of a key: store/key-secrets.ts. */
const OWN_PATTERNS = [
  { name: 'API key of this service', pattern: String.raw`/\btd_[0-9a-f]{16}_[\w-]{43}/` },
  { name: 'secret of webhooks', pattern: String.raw`/\bwhsec_[A-Za-z0-9+/]{24,}={0,2}/` },
  { name: 'key of the Data API', pattern: String.raw`/\bAIza[\w-]{35}/` },
  // A digit is asked for, since names of other things follow such a setting too; a $ is none of the characters of a value.
  {
    name: 'value of a secret setting',
    pattern: String.raw`/\b(?:${SECRET_SETTINGS.join('|')})['"]?\s*[:=]\s*['"]?(?=[\w+/.-]*\d)[\w+/.-]{20,}/`,
  },
];

type Config = Parameters<typeof lintSource>[0]['options']['config'];

/** What secretlint looks for: its recommended set, and our own patterns. */
export const RULES: Config = {
  rules: [
    { id: '@secretlint/secretlint-rule-preset-recommend', rule: recommended, rules: [] },
    { id: '@secretlint/secretlint-rule-pattern', rule: patterns, options: { patterns: OWN_PATTERNS } },
  ],
};
