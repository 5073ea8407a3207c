import { type Case, ROLES, type Role } from './cases/case.js';
import { sha256Hex, utf8 } from './cases/encoding.js';
import { startAuditor } from './roles/auditor.js';
import { startClient, startLookup } from './roles/client.js';
import { startCopy } from './roles/copy.js';
import { startMirror } from './roles/mirror.js';
import { startMonitor } from './roles/monitor.js';
import { type Program, type StartProgram, type Verdict, verdictOf } from './roles/verdict.js';
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

/** Kinds with so many cases that a mirror, which writes every tree, sees one of some. */
const MANY = /^(byte|file|claim|forged|trap)\//;
const MIRRORED_OF_MANY = 6;

/** The roles that see a case. The choice depends on nothing but the id. */
function rolesFor({ id, roles }: Case): readonly Role[] {
  const isMirrored =
    !MANY.test(id) || Number.parseInt(sha256Hex(utf8(id)).slice(0, 6), 16) % MIRRORED_OF_MANY === 0;
  return roles.filter((role) => role !== 'mirror' || isMirrored);
}

/** Shows a case to the programs of its roles, or of some of them. Returns what they say, step by step. */
export async function recordCase(one: Case, asked: readonly string[] = ROLES): Promise<RecordedVerdict[]> {
  const recorded: RecordedVerdict[] = [];
  for (const role of rolesFor(one).filter((name) => asked.includes(name))) {
    let program: Program | undefined;
    for (const [step, shown] of one.steps.entries()) {
      const sources = show(shown);
      try {
        program ??= PROGRAMS[role](one);
        recorded.push({ id: one.id, role, step, ...(await program.see(shown, sources)) });
      } catch (error) {
        recorded.push({ id: one.id, role, step, ...verdictOf(error) });
      }
    }
    program?.end?.();
  }
  return recorded;
}
