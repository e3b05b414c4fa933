import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotAuditedError, type Advisory } from '../../../quality/checks/audit/advisory.ts';
import { audit, exceptionsSchema, readExceptions } from '../../../quality/checks/audit/audit.ts';
import { parseGovulncheck } from '../../../quality/checks/audit/engines.ts';
import { auditNpm } from '../../../quality/checks/audit/npm.ts';
import { auditPython } from '../../../quality/checks/audit/python.ts';
import { ROOT } from '../../../quality/checks/project.ts';
import { serve } from '../../helpers/serve.ts';

const TODAY = '2026-11-21';

function anAdvisory(severity: Advisory['severity']): Advisory {
  return { id: 'GHSA-1', aliases: ['CVE-1'], package: 'left', severity, title: 'Bad', url: 'https://example.com' };
}

function anException(until: string) {
  return { id: 'CVE-1', package: 'left', reason: 'its parser is never called here', until };
}

describe('the audit', () => {
  const outcomeOf = (severity: Advisory['severity'], until?: string) =>
    audit(
      [{ name: 'npm packages', mayFail: true, advisories: () => Promise.resolve([anAdvisory(severity)]) }],
      until === undefined ? [] : [anException(until)],
      TODAY,
    );

  it.each(['high', 'critical', 'unknown'] as const)('fails for an advisory of severity %s', async (severity) => {
    const { failed, lines } = await outcomeOf(severity);
    expect(failed).toEqual(['npm packages']);
    expect(lines.join('\n')).toContain(`${severity} left GHSA-1 Bad`);
  });

  it.each(['low', 'moderate'] as const)('tells one of severity %s', async (severity) => {
    const { failed, lines } = await outcomeOf(severity);
    expect([failed, lines.length]).toEqual([[], 2]);
  });

  it('follows an exception to its last day, and not a day longer', async () => {
    expect((await outcomeOf('high', TODAY)).failed).toEqual([]);
    const late = await outcomeOf('high', '2026-11-20');
    expect(late.failed).toEqual(['npm packages']);
    expect(late.lines.at(-1)).toMatch(/exception for CVE-1 ended on 2026-11-20/);
  });

  it('follows an exception for its package only', async () => {
    const other = { ...anException('2027-01-01'), package: 'right' };
    const part = { name: 'npm', mayFail: true, advisories: () => Promise.resolve([anAdvisory('high')]) };
    expect((await audit([part], [other], TODAY)).failed).toEqual(['npm']);
  });

  it('tells what could not be audited, and does not count it as good', async () => {
    const silent = { name: 'npm', mayFail: true, advisories: () => Promise.reject(new NotAuditedError('no answer')) };
    const bad = { name: 'Python', mayFail: true, advisories: () => Promise.resolve([anAdvisory('high')]) };
    const { lines, failed, notAudited } = await audit([silent, bad], [], TODAY);
    expect([lines[0], failed, notAudited]).toEqual(['npm: not audited: no answer', ['Python'], ['npm']]);
  });

  it('does not hide a mistake of its own as a silent source', async () => {
    const broken = { name: 'npm', mayFail: true, advisories: () => Promise.reject(new TypeError('ours')) };
    await expect(audit([broken], [], TODAY)).rejects.toThrow('ours');
  });

  it('fails for nothing of the engines', async () => {
    const part = { name: 'engines', mayFail: false, advisories: () => Promise.resolve([anAdvisory('high')]) };
    const { failed, lines } = await audit([part], [], TODAY);
    expect([failed, lines[0]]).toEqual([[], expect.stringContaining('told only')]);
  });
});

describe('the exceptions', () => {
  it('of the project have the right form', () => {
    expect(Array.isArray(readExceptions(join(ROOT, 'quality/checks/audit/exceptions.json')))).toBe(true);
  });

  it.each([{ until: 'some day' }, { until: '2026-02-30' }, { reason: 'fine' }, { id: '' }])(
    'are refused with %j',
    (mistake) => {
      expect(exceptionsSchema.safeParse([anException('2027-01-01')]).success).toBe(true);
      expect(exceptionsSchema.safeParse([{ ...anException('2027-01-01'), ...mistake }]).success).toBe(false);
    },
  );
});

describe('npm audit', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'audit-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** A program of npm's name that prints what npm would. */
  function npmThatPrints(report: unknown) {
    writeFileSync(join(dir, 'report.json'), JSON.stringify(report));
    writeFileSync(join(dir, 'npm'), `#!/bin/sh\necho "$@" > '${dir}/args'\ncat '${dir}/report.json'\nexit 1\n`);
    chmodSync(join(dir, 'npm'), 0o755);
    return { PATH: `${dir}${delimiter}${process.env['PATH'] ?? ''}` };
  }

  it('names each advisory once, with its own severity', async () => {
    const via = {
      ...{ source: 1, name: 'qs', dependency: 'qs', title: 'Prototype pollution', range: '<1' },
      ...{ url: 'https://github.com/advisories/GHSA-abcd-1234-efgh', severity: 'moderate' },
    };
    const env = npmThatPrints({
      auditReportVersion: 2,
      vulnerabilities: {
        qs: { name: 'qs', severity: 'high', via: [via] },
        googleapis: { name: 'googleapis', severity: 'high', via: ['qs', via] },
      },
      metadata: {},
    });
    expect(await auditNpm(dir, env)).toEqual([
      {
        ...{ id: 'GHSA-abcd-1234-efgh', aliases: [], package: 'qs', severity: 'moderate' },
        ...{ title: 'Prototype pollution', url: via.url },
      },
    ]);
  });

  it.each([
    [{ message: '405 Method Not Allowed - POST https://registry.example/bulk', statusCode: 405 }, /405 Method/],
    [{ auditReportVersion: 1, advisories: {} }, /no report/],
    [null, /no report/],
  ])('is not taken as good news when it answers %j', async (report, message) => {
    const error: unknown = await auditNpm(dir, npmThatPrints(report)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NotAuditedError);
    expect(String(error)).toMatch(message);
  });

  it('is not taken as good news when there is no npm', async () => {
    await expect(auditNpm(dir, { PATH: dir })).rejects.toBeInstanceOf(NotAuditedError);
  });
});

describe('the audit of Python packages', () => {
  let server: Awaited<ReturnType<typeof serve>>;
  let answers: Record<string, unknown>;
  const asked: string[] = [];
  beforeEach(async () => {
    answers = {};
    server = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (body !== '') asked.push(body);
        const answer = answers[request.url ?? ''];
        response.writeHead(answer === undefined ? 500 : 200).end(JSON.stringify(answer));
      });
    });
  });
  afterEach(() => server.stop());

  const requirements = [
    { name: 'idna', version: '3.20', hashes: [] },
    { name: 'requests', version: '2.19.0', hashes: [] },
  ];

  it('asks for exact versions, and takes the severity from the entry that tells one', async () => {
    answers['/v1/querybatch'] = {
      results: [{}, { vulns: [{ id: 'PYSEC-1' }, { id: 'GHSA-1' }, { id: 'PYSEC-2' }, { id: 'GHSA-gone' }] }],
    };
    answers['/v1/vulns/PYSEC-1'] = { id: 'PYSEC-1', aliases: ['CVE-1', 'GHSA-1'] };
    answers['/v1/vulns/GHSA-1'] = { id: 'GHSA-1', summary: 'Leak', database_specific: { severity: 'MODERATE' } };
    answers['/v1/vulns/PYSEC-2'] = { id: 'PYSEC-2', database_specific: {} };
    answers['/v1/vulns/GHSA-gone'] = { id: 'GHSA-gone', withdrawn: '2026-01-01T00:00:00Z' };
    const found = await auditPython(requirements, server.url);
    expect(found.map((one) => [one.package, one.id, one.severity])).toEqual([
      ['requests', 'PYSEC-1', 'moderate'],
      ['requests', 'GHSA-1', 'moderate'],
      ['requests', 'PYSEC-2', 'unknown'],
    ]);
    expect(JSON.parse(asked.at(-1)!)).toEqual({
      queries: [
        { package: { name: 'idna', ecosystem: 'PyPI' }, version: '3.20' },
        { package: { name: 'requests', ecosystem: 'PyPI' }, version: '2.19.0' },
      ],
    });
  });

  it.each([
    ['an error', {}],
    ['another form', { '/v1/querybatch': { vulnerabilities: [] } }],
    ['too few results', { '/v1/querybatch': { results: [{}] } }],
    ['a list without its entries', { '/v1/querybatch': { results: [{}, { vulns: [{ id: 'GHSA-1' }] }] } }],
  ])('is not taken as good news when it answers %s', async (_what, given) => {
    answers = given;
    await expect(auditPython(requirements, server.url)).rejects.toBeInstanceOf(NotAuditedError);
  });
});

describe('the report of govulncheck', () => {
  it('is read as one advisory for each module, however many functions it has', () => {
    const trace = { module: 'example.com/x', version: 'v1.0.0' };
    const messages = [
      { config: { protocol_version: 'v1.0.0' } },
      { osv: { id: 'GO-1', summary: 'Bad', aliases: ['CVE-1'], details: '{\n}\n' } },
      { finding: { osv: 'GO-1', trace: [trace] } },
      { finding: { osv: 'GO-1', trace: [{ ...trace, package: 'example.com/x/y', function: 'Read' }] } },
    ];
    const report = messages.map((message) => `${JSON.stringify(message, null, 2)}\n`).join('');
    expect(parseGovulncheck(report)).toEqual([
      {
        ...{ id: 'GO-1', aliases: ['CVE-1'], package: 'example.com/x', severity: 'unknown', title: 'Bad' },
        url: 'https://pkg.go.dev/vuln/GO-1',
      },
    ]);
  });
});
