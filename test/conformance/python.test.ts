import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Case, Role } from '../../build/conformance/cases/case.js';
import { mutations } from '../../build/conformance/cases/mutations.js';
import { startOurs } from '../../build/conformance/ours.js';
import type { Program } from '../../build/conformance/runner/program.js';
import { type Recorded, run } from '../../build/conformance/runner/run.js';
import { describeWith, describeWithPython } from '../support/components.js';
import { PYTHON_ROLES, startPython } from '../support/kit-role.js';
import { ROOT } from '../support/paths.js';
import { protocol } from '../support/protocol.js';
import { rounds } from '../support/soak.js';

const PYTHON_FOLDER = join(ROOT, 'conformance/python');

const SEED = Math.abs(Number(process.env['PROPERTY_SEED'] || 36));
const TREES = rounds({ usual: 30, soak: 20_000 });

describe('the sources of the verifier in Python', () => {
  const modules = readdirSync(join(PYTHON_FOLDER, 'passport_registry')).filter((name) =>
    name.endsWith('.py'),
  );
  const textOf = (name: string) => readFileSync(join(PYTHON_FOLDER, 'passport_registry', name), 'utf8');

  it('cite only rules that exist, and nearly all of a client', () => {
    const rules = new Set([...protocol.matchAll(/<a id="([^"]*)">/g)].map(([, id]) => id));
    const cited = modules.flatMap((name) => [...textOf(name).matchAll(/#([a-z]+(?:-[a-z]+)*)\b/g)]);
    const ids = new Set(cited.map(([, id]) => id));
    expect([...ids].filter((id) => !rules.has(id))).toEqual([]);
    expect(ids.size).toBeGreaterThan(70);
  });

  it('import nothing but the standard library and cryptography', () => {
    const imports = modules.flatMap((name) => [...textOf(name).matchAll(/^(?:from|import) ([\w.]+)/gm)]);
    const others = imports.map(([, module = '']) => module.split('.')[0] ?? '').filter((name) => name !== '');
    expect(new Set(others)).toContain('cryptography');
    const standard =
      'argparse base64 contextlib dataclasses datetime hashlib http ipaddress json os queue re secrets';
    const more = 'socket stat sys threading time typing urllib zlib __future__ cryptography';
    expect(others.filter((name) => !`${standard} ${more}`.split(' ').includes(name))).toEqual([]);
  });
});

/** What a program says of cases of one role. */
async function answersOf(role: Role, cases: readonly Case[], start: () => Program): Promise<Recorded[]> {
  const answers: Recorded[] = [];
  const options = { role, start, xfails: new Set<string>(), timeoutMs: 60_000 };
  await run(cases, { ...options, onAnswer: (answer) => answers.push(answer) });
  return answers;
}

/** Where a list comes from, and what is wrong with it there. */
const OF_A_PLACE =
  /^ERR_(PUBLICATION_MISMATCH|LIST_(MALFORMED|NONCONFORMING|UNSORTED|NOT_CANONICAL)|SOURCE_\w+)$/;

/** Whether the protocol permits that two verifiers differ in this way. */
function isFree(ours: Recorded, theirs: Recorded, holdsList: boolean): boolean {
  const codes = [ours, theirs].map(({ code }) => String([code].flat()[0] ?? ''));
  // Step 0 checks the trust anchor and its key. Which fault is found first is not said.
  const ofStep0 = ['ERR_TRUST_ANCHOR_INVALID', 'ERR_ROOT_KEY_INVALID'];
  if (codes.every((code) => ofStep0.includes(code))) return true;
  if (!codes.every((code) => code === '' || OF_A_PLACE.test(code))) return false;
  // The code of any file of one step is correct (rule error-codes).
  if (ours['verdict'] === 'refuse' && theirs['verdict'] === 'refuse') return holdsList;
  // A client may update its list through the tree of sums (rule sums-updates). The one in Python does not.
  return holdsList && ours['verdict'] === 'accept' && theirs['verdict'] === 'refuse';
}

const said = ({ verdict, code, trusted, more }: Recorded) =>
  JSON.stringify([verdict, [code].flat()[0] ?? null, trusted ?? null, more ?? null]);

/** In what two verifiers differ. */
function differences(ours: readonly Recorded[], theirs: readonly Recorded[]): string[] {
  return ours.flatMap((our, at) => {
    const their = theirs[at] as Recorded;
    const earlier = ours.slice(at - our.step, at);
    const holdsList = our.case.includes('client/') && earlier.some(({ verdict }) => verdict === 'accept');
    if (said(our) === said(their) || isFree(our, their, holdsList)) return [];
    return [`${our.case}, step ${our.step}: ${said(our)}, but in Python ${said(their)}`];
  });
}

describeWithPython('the verifier in Python', () => {
  it('passes its own tests', () => {
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
    const options = { cwd: PYTHON_FOLDER, env };
    const { status, stderr } = spawnSync('python3', ['-m', 'unittest'], options);
    expect(stderr.toString()).toMatch(/\nOK\n$/);
    expect(status).toBe(0);
  });

  const random = [...mutations(SEED, TREES)];
  it.each(PYTHON_ROLES)('says of random trees what ours says, in the role %s', async (role) => {
    const ofRole = random.filter((one) => one.role === role);
    const [theirs, ours] = [
      await answersOf(role, ofRole, startPython),
      await answersOf(role, ofRole, startOurs),
    ];
    expect(differences(ours, theirs)).toEqual([]);
    // A generator that makes only bad trees, or only good ones, would show nothing.
    const accepted = ours.filter(({ verdict }) => verdict === 'accept').length;
    const fewest = Math.min(accepted, ours.length - accepted);
    if (ofRole.length > 0) expect(fewest).toBeGreaterThan(ours.length / 8);
  });

  describeWith(['mypy'], 'its types', () => {
    it('are right, as mypy --strict says', () => {
      // What has not changed is not checked again.
      const cache = join(ROOT, 'test-results/mypy');
      const args = ['--strict', '--cache-dir', cache, 'passport_registry', 'conformance.py'];
      expect(execFileSync('mypy', args, { cwd: PYTHON_FOLDER }).toString()).toMatch(/^Success/);
    });
  });
});
