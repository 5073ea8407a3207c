import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RegistryError, type TrustAnchor } from '@passport-registry/verifier';
import { verifyHistoryProof } from '@passport-registry/verifier/history';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Dice } from '../../build/conformance/cases/dice.js';
import type { Case } from '../../build/conformance/cases/index.js';
import { mutatedProof, mutations } from '../../build/conformance/cases/mutations.js';
import { enterWorld } from '../../build/conformance/roles/world.js';
import { allOf } from '../support/cases.js';
import { describeWith, describeWithPython } from '../support/components.js';
import { ROOT } from '../support/paths.js';
import { protocol } from '../support/protocol.js';
import {
  compareCases,
  type Judgement,
  PYTHON_ENV,
  PYTHON_FOLDER,
  PythonVerifier,
} from '../support/python-verifier.js';
import { rounds, sample } from '../support/soak.js';
import { temporaryFolder } from '../support/workspace.js';

/** Kinds whose cases are made in no time. The random trees have logs and memories, too. */
const QUICK_KINDS = [
  ...['byte', 'file', 'claim', 'record', 'list', 'forged', 'signature', 'rotation', 'trap', 'lines', 'note'],
  ...['anchor', 'clock', 'host'],
];

const SEED = Math.abs(Number(process.env['PROPERTY_SEED'] || 36));

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

describeWithPython('the verifier in Python', () => {
  let python: PythonVerifier;
  let leave: () => void = () => undefined;
  beforeAll(() => {
    python = new PythonVerifier();
    leave = enterWorld();
  });
  afterAll(() => {
    leave();
    python.close();
  });

  it('passes its own tests, and all vectors', () => {
    const { status, stderr } = spawnSync('python3', ['-m', 'unittest'], {
      cwd: PYTHON_FOLDER,
      env: PYTHON_ENV,
    });
    expect(stderr.toString()).toMatch(/\nOK\n$/);
    expect(status).toBe(0);
  });

  it('says what ours says of the cases', async () => {
    const kinds = rounds({ usual: QUICK_KINDS, soak: [''] });
    const made = (await Promise.all(kinds.map(allOf))).flat();
    const isQuick = ({ id }: Case) => rounds({ usual: !id.endsWith('/never'), soak: true });
    const cases = sample(made.filter(isQuick), 397);
    const { compared, differences } = await compareCases(python, cases);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(cases.length);
  });

  const TREES = rounds({ usual: 80, soak: 20_000 });

  it(`says what ours says of ${TREES} random trees`, async () => {
    const { compared, accepted, differences } = await compareCases(python, mutations(SEED, TREES));
    expect(differences).toEqual([]);
    // A generator that makes only bad trees, or only good ones, would show nothing.
    expect(Math.min(accepted, compared - accepted)).toBeGreaterThan(TREES / 5);
  });

  const PROOFS = rounds({ usual: 100, soak: 20_000 });

  it(`says what ours says of ${PROOFS} random history proofs`, async () => {
    const vectors = JSON.parse(
      readFileSync(join(ROOT, 'test/vectors/history.json'), 'utf8'),
    ) as HistoryVectors;
    const good = vectors.proofs.filter(({ code }) => code === null);
    const files = vectors.proofs.map(({ file }) => file);
    const dice = new Dice(SEED);
    const counts: Record<string, number> = {};
    const differences: unknown[] = [];
    for (let number = 0; number < PROOFS; number++) {
      const { file, trust_anchor } = dice.pick(good);
      const trustAnchor = vectors.trust_anchors[trust_anchor] as TrustAnchor;
      const changed = dice.once(50) ? file : mutatedProof(file, files, dice);
      const ours = await judgeHistory(changed, trustAnchor);
      const [theirs] = await python.judge({
        role: 'history',
        anchor: JSON.stringify(trustAnchor),
        file: changed,
      });
      counts[ours.code] = (counts[ours.code] ?? 0) + 1;
      if (
        theirs?.code !== ours.code ||
        (ours.code === '' && JSON.stringify(theirs.more) !== JSON.stringify(ours.more))
      )
        differences.push({ changed, ours, theirs });
    }
    expect(differences).toEqual([]);
    expect(Object.keys(counts).length).toBeGreaterThan(4);
  });

  it('refuses a trust anchor in which a member occurs twice, or that is not strict JSON in another way', async () => {
    const root = '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}';
    const judge = async (anchor: string) =>
      (await python.judge({ role: 'copy', anchor, ask: [], steps: [{}] }))[0]?.code;
    expect(await judge(`{"root":${root},"quorum":1,"quorum":1}`)).toBe('ERR_TRUST_ANCHOR_INVALID');
    expect(await judge(`\ufeff{"root":${root}}`)).toBe('ERR_TRUST_ANCHOR_INVALID');
  });

  describeWith(['mypy'], 'its types', () => {
    it('are right, as mypy --strict says', () => {
      const args = [
        '--strict',
        '--cache-dir',
        temporaryFolder(),
        'passport_registry',
        'judge.py',
        'conformance.py',
      ];
      expect(execFileSync('mypy', args, { cwd: PYTHON_FOLDER }).toString()).toMatch(/^Success/);
    });
  });
});

interface HistoryVectors {
  readonly trust_anchors: Readonly<Record<string, TrustAnchor>>;
  readonly proofs: readonly {
    readonly trust_anchor: string;
    readonly file: string;
    readonly code: string | null;
  }[];
}

async function judgeHistory(file: string, trustAnchor: TrustAnchor): Promise<Judgement> {
  try {
    const { from, until, issuer = null } = await verifyHistoryProof(file, { trustAnchor });
    const seconds = (time: Date) => time.getTime() / 1000;
    return {
      verdict: 'accept',
      code: '',
      more: { from: seconds(from), until: seconds(until), record: issuer },
    };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { verdict: 'refuse', code: error.code, more: null };
  }
}
