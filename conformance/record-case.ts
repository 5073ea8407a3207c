import type { Case, Role } from './cases/case.js';
import { startAuditor } from './roles/auditor.js';
import { startClient, startLookup } from './roles/client.js';
import { startCopy } from './roles/copy.js';
import { startMirror } from './roles/mirror.js';
import { startMonitor } from './roles/monitor.js';
import type { StartProgram, Verdict } from './roles/verdict.js';
import { show } from './roles/world.js';

const PROGRAMS: Readonly<Record<Role, StartProgram>> = {
  client: startClient,
  lookup: startLookup,
  copy: startCopy,
  auditor: startAuditor,
  mirror: startMirror,
  monitor: startMonitor,
};

/** A line of a recording. */
export interface RecordedVerdict extends Verdict {
  readonly id: string;
  readonly role: string;
  readonly step: number;
}

/** Shows a case to the programs of its roles. Returns what they say, step by step. */
export async function recordCase(one: Case): Promise<RecordedVerdict[]> {
  const recorded: RecordedVerdict[] = [];
  for (const role of one.roles) {
    const t = performance.now();
    const program = PROGRAMS[role](one);
    for (const [step, shown] of one.steps.entries()) {
      recorded.push({ id: one.id, role, step, ...(await program.see(shown, show(shown))) });
    }
    program.end?.();
    if (process.env['TIMES']) console.error(one.id, role, Math.round(performance.now() - t));
  }
  return recorded;
}
