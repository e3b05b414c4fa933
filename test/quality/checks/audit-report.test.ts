import { expect, it } from 'vitest';
import { foundByNpm, foundByPip } from '../../../quality/checks/audit-report.ts';

const npm = (high: number, critical: number): string =>
  JSON.stringify({ auditReportVersion: 2, metadata: { vulnerabilities: { low: 7, moderate: 3, high, critical } } });
const pip = (...dependencies: object[]): string => JSON.stringify({ dependencies, fixes: [] });

it('counts the vulnerabilities of severity high and critical that npm audit reports', () => {
  expect(foundByNpm(npm(0, 0))).toBe(0);
  expect(foundByNpm(npm(2, 1))).toBe(3);
});

it('counts all vulnerabilities that pip-audit reports, which tells no severity', () => {
  const vulns = [{ id: 'PYSEC-2026-1', fix_versions: [], aliases: [], description: '' }];
  expect(foundByPip(pip({ name: 'idna', version: '3.20', vulns: [] }))).toBe(0);
  expect(foundByPip(pip({ name: 'idna', version: '3.20', vulns }, { name: 'brotli', version: '1.2.1', vulns }))).toBe(
    2,
  );
});

it.each([
  ['a registry that has no audits', '{"message":"not supported","statusCode":405}', foundByNpm],
  ['a tool that ended without a report', '', foundByNpm],
  ['a source that does not answer', '', foundByPip],
  ['a source that does not know a package', pip({ name: 'idna', skip_reason: 'not found' }), foundByPip],
  ['a report about no package', pip(), foundByPip],
] as const)('takes %s for no audit', (_what, stdout, found) => {
  expect(found(stdout)).toBeUndefined();
});
