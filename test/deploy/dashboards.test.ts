import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { API_METRICS } from '../../api/api-metrics.ts';
import { WORKER_METRICS } from '../../worker/worker-metrics.ts';
import { ROOT, readPage } from '../helpers/markdown.ts';

const tables: Readonly<Record<string, { readonly description: string; readonly labels: readonly string[] }>> = {
  ...API_METRICS,
  ...WORKER_METRICS,
};
const { groups } = parse(readFileSync(`${ROOT}deploy/prometheus/alerts.yml`, 'utf8')) as {
  groups: { rules: { alert: string; expr: string; annotations: { runbook: string } }[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(readFileSync(`${ROOT}deploy/grafana/tapedeck.json`, 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const expressions = [
  ...rules.map(({ alert, expr }) => ({ of: alert, expr })),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ of: title, expr }))),
];

describe('the alerts and the dashboard', () => {
  it.each(expressions)('"$of" queries metrics and labels that api or worker have', ({ expr }) => {
    for (const [, name = '', selected = ''] of expr.matchAll(/\btapedeck_(\w+)(?:\{([^}]*)\})?/g)) {
      const metric = tables[name] ?? tables[name.replace(/_(?:total|bucket|sum|count)$/, '')];
      expect([name, metric === undefined]).toEqual([name, false]);
      const labels = [...selected.matchAll(/\b(\w+)(?:=|!=|=~|!~)"/g)].map(([, label]) => label);
      expect(metric?.labels).toEqual(expect.arrayContaining(labels));
    }
  });

  it('cover every metric', () => {
    const all = expressions.map(({ expr }) => expr).join('\n');
    const missing = Object.keys(tables).filter(
      (name) => !new RegExp(`\\btapedeck_${name}(?:_total|_bucket)?\\b`).test(all),
    );
    expect(missing).toEqual([]);
  });

  it.each(rules)('$alert has a runbook', ({ alert, annotations: { runbook } }) => {
    expect(runbook).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
    expect(readPage('docs/alerts.md')).toMatch(new RegExp(`^## ${alert}\\n\\n\\S`, 'm'));
  });
});
