import { Client, Connection } from '@temporalio/client';
const connection = await Connection.connect({ address: process.argv[2]! });
const client = new Client({ connection });
const end = Date.now() + 100_000;
const seen = new Set<string>();
while (Date.now() < end) {
  try {
    for await (const w of client.workflow.list({ query: "WorkflowType='imgnetAudio' AND ExecutionStatus='Running'" })) {
      const d = await client.workflow.getHandle(w.workflowId, w.runId).describe();
      for (const a of d.raw.pendingActivities ?? []) {
        const line = `${w.workflowId} ${a.activityType?.name} attempt ${a.attempt} ${a.lastFailure?.message ?? ''} ${JSON.stringify(d.memo?.['waiting'] ?? null)}`;
        if (!seen.has(line)) { seen.add(line); console.log(new Date().toISOString(), line); }
      }
      const line = `${w.workflowId} memo ${JSON.stringify(d.memo?.['waiting'] ?? null)} pend ${(d.raw.pendingActivities ?? []).length} hist ${d.historyLength}`;
      if (!seen.has(line)) { seen.add(line); console.log(new Date().toISOString(), line); }
    }
  } catch { break; }
  await new Promise((r) => setTimeout(r, 700));
}
process.exit(0);
