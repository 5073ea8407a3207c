import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { GOLDEN_NAMES, golden } from '../../build/conformance/cases/goldens.js';
import type { Case, Role } from '../../build/conformance/cases/index.js';
import { difference, patched } from '../../build/conformance/cases/patch.js';
import { recordCase } from '../../build/conformance/record-case.js';
import { ROOT } from './paths.js';

export const PYTHON_FOLDER = join(ROOT, 'conformance/python');

/** Nothing is written into the checkout. */
export const PYTHON_ENV = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };

/** What a verifier says of a step of a case. */
export interface Judgement {
  readonly verdict: string;
  readonly code: string;
  readonly more: unknown;
}

/** The verifier of conformance/python, as one process for all cases. */
export class PythonVerifier {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  constructor() {
    this.#process = spawn('python3', ['judge.py'], { cwd: PYTHON_FOLDER, env: PYTHON_ENV });
    this.#process.stderr.pipe(process.stderr);
    this.#answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
    for (const name of GOLDEN_NAMES) this.#send({ base: name, files: asBase64(golden(name).files) });
  }

  /** Asks for the verdicts on a case, one for each step. The messages are described in judge.py. */
  async judge(message: object): Promise<readonly Judgement[]> {
    this.#send(message);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error('judge.py has ended');
    return JSON.parse(value) as Judgement[];
  }

  close(): void {
    this.#process.stdin.end();
  }

  #send(message: object): void {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

const asBase64 = (files: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')]));

/** The roles that both verifiers have. */
const ROLES: readonly Role[] = ['client', 'lookup', 'copy'];

/** How many verdicts were compared, and in what the two verifiers differ. */
export interface Comparison {
  readonly compared: number;
  readonly accepted: number;
  readonly differences: readonly string[];
}

/** Shows cases to both verifiers. */
export async function compareCases(
  python: PythonVerifier,
  cases: Iterable<Case> | AsyncIterable<Case>,
): Promise<Comparison> {
  let [compared, accepted] = [0, 0];
  const differences: string[] = [];
  for await (const one of cases) {
    for (const role of ROLES.filter((name) => isFor(one, name))) {
      const ours = await recordCase(one, [role]);
      const theirs = await python.judge(messageOf(one, role));
      compared += ours.length;
      accepted += ours.filter(({ verdict }) => verdict === 'accept').length;
      for (const [step, our] of ours.entries()) {
        const hasAccepted = ours.slice(0, step).some(({ verdict }) => verdict === 'accept');
        const their = theirs[step] as Judgement;
        if (!areEqual(our, their, role) && !isFree(our, their, role === 'client' && hasAccepted))
          differences.push(`${one.id}, ${role}, step ${step}: ${told(our)}, but in Python ${told(their)}`);
      }
    }
  }
  return { compared, accepted, differences };
}

/** The verifier in Python reads one source. Of several, a copy is only the first one. */
const isFor = ({ roles, steps }: Case, role: Role) =>
  roles.includes(role) && (role === 'copy' || steps.every(({ sources }) => sources.length === 1));

function messageOf({ anchor, ask, steps }: Case, role: Role): object {
  return {
    ...{ role, anchor: JSON.stringify(anchor), ask },
    steps: steps.map(({ now, restarts, sources: [{ base, patches, answers }] }) => {
      const { files } = golden(base);
      const changes = difference(files, patched(files, patches)).map((patch) => [
        'file' in patch ? patch.file : '',
        'bytes' in patch ? patch.bytes : null,
      ]);
      return { now, base, files: Object.fromEntries(changes), ...(restarts && { restarts }), answers };
    }),
  };
}

const told = ({ verdict, code, more }: Judgement) => `${verdict} ${code || JSON.stringify(more)}`;

/** The code that the protocol fixes. Ours names the code of the cause, too. */
const fixed = (code: string) => code.replaceAll(/:\w+/g, '');

function areEqual(ours: Judgement, theirs: Judgement, role: Role): boolean {
  if (ours.verdict !== theirs.verdict || fixed(ours.code) !== theirs.code) return false;
  return (
    ours.verdict !== 'accept' || JSON.stringify(factsOf(ours, role)) === JSON.stringify(factsOf(theirs, role))
  );
}

/** What both say of what they accept. */
function factsOf({ more }: Judgement, role: Role): object {
  const { list, hold = [], issuers, answers = {} } = more as Record<string, unknown>;
  if (role !== 'lookup') return { list, hold, issuers };
  // Ours also says what a trust policy makes of a record.
  const status = Object.entries(answers as Record<string, string>).map(([id, said]) => [
    id,
    said.split(' ')[0],
  ]);
  return { list, answers: Object.fromEntries(status) };
}

/** Where a list comes from, and what is wrong with it there. */
const OF_A_PLACE =
  /^ERR_(PUBLICATION_MISMATCH|CHECKPOINT_MISMATCH|SIGNATURE_\w+|LIST_(MALFORMED|NONCONFORMING|UNSORTED|NOT_CANONICAL)|SOURCE_\w+)$/;

/** Whether the protocol permits that two verifiers differ in this way. */
function isFree(ours: Judgement, theirs: Judgement, holdsList: boolean): boolean {
  const codes = [fixed(ours.code), theirs.code];
  // Step 0 checks the trust anchor and its key. Which fault is found first is not said.
  const ofStep0 = ['ERR_TRUST_ANCHOR_INVALID', 'ERR_ROOT_KEY_INVALID'];
  if (codes.every((code) => ofStep0.includes(code))) return true;
  if (!codes.every((code) => code === '' || OF_A_PLACE.test(code))) return false;
  // The order of the two places of a list is free (rule two-places).
  if (ours.verdict === 'refuse' && theirs.verdict === 'refuse') return holdsList;
  // A client may update its list through the tree of sums (rule sums-updates). The one in Python does not.
  return holdsList && ours.verdict === 'accept' && theirs.verdict === 'refuse';
}
