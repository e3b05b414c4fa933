import { lintSource } from '@secretlint/core';
import { isAllowed } from './allowed.ts';
import { RULES } from './rules.ts';
import type { SourceText } from './sources.ts';

/** A place that looks like a secret. The value itself is not in it: it would end up in the log of a build. */
export interface FoundSecret {
  readonly path: string;
  readonly blob: string | undefined;
  /** From 1. */
  readonly line: number;
  readonly rule: string;
  /** What it is; the value is masked. */
  readonly message: string;
}

/** Looks through texts for secrets; those of `allowed.ts` are left out. */
export async function findSecrets(sources: Iterable<SourceText>): Promise<{ read: number; found: FoundSecret[] }> {
  const found: FoundSecret[] = [];
  let read = 0;
  for (const { path, blob, content } of sources) {
    read += 1;
    const { messages } = await lintSource({
      source: { filePath: path, content, ext: '', contentType: 'text' },
      options: { config: RULES, maskSecrets: true, noPhysicFilePath: true },
    });
    for (const { range, loc, ruleId, message } of messages) {
      if (isAllowed(path, content.slice(...range))) continue;
      found.push({ path, blob, line: loc.start.line, rule: ruleId.replace(/^@secretlint\//, ''), message });
    }
  }
  return { read, found };
}
