import { sleep } from '@temporalio/workflow';
export async function sleepy() { const a = Date.now(); await sleep('100 s'); return Date.now() - a; }
