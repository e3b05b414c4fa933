import { ALL_SPOILT_LINES, describeFaults } from '../helpers/fault-rounds.ts';

/** `FAULTS=temporal` tries what has that in its name. The table of docs/reliability.md is printed. */
const wanted = process.env['FAULTS'] ?? '';
const chosen = ALL_SPOILT_LINES.filter(([link, fault]) => `${link}: ${fault}`.includes(wanted));
if (chosen.length === 0) throw new Error(`FAULTS=${wanted} names no fault on any line`);

describeFaults(chosen, { faultMs: Number(process.env['FAULT_SECONDS'] ?? 6) * 1000, table: true });
