import type { Case, Right, Role } from '../cases/case.js';
import { ODD_VALUES } from '../cases/claims.js';
import { sha256Hex, utf8 } from '../cases/encoding.js';
import { textIn } from '../cases/files.js';
import { golden } from '../cases/goldens.js';
import { jwt } from '../cases/jwt.js';
import { either, shown, topic, variant } from '../cases/make-case.js';
import type { Patch } from '../cases/patch.js';
import type { Registry } from '../cases/registry.js';
import { LOG_PROOF, STATEMENTS, statementHash } from '../cases/statements.js';
import { GOOD_JSON, JSON_TRAPS } from '../cases/traps.js';

/** A form that is wrong, and the code of an auditor for what no client sees. */
const INVALID = ['ERR_STATEMENTS_INVALID', 'ERR_AUDIT_STATEMENTS'];

/** The file of all statements, in other forms. */
export function* statementsFileKit(role: Role): Generator<Case> {
  yield* members(role);
  yield* texts(role);
  yield* sizes(role);
  yield* mixed(role);
}

const shownWith = (base: string, more: Readonly<Record<string, unknown>>) =>
  variant(base, (registry) => registry.state(more));

/** What is of the type of a member, as the kinds of odd values are called. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  publication: ['text'],
  checkpoint: ['text'],
  rotation: ['an array'],
  log_proof: ['text'],
};

function* members(role: Role): Generator<Case> {
  const isAuditor = role === 'auditor';
  const why = 'A member has another value, or is missing.';
  const make = topic(role, 'statements', { rule: 'statements-file', base: 'witnessed', why });
  for (const [member, types] of Object.entries(TYPES)) {
    for (const [name, value] of [...ODD_VALUES, ['an object', {}] as const]) {
      if (types.includes(name) || name.startsWith('2^')) continue;
      yield make(`${member} ${name}`, { patches: shownWith('witnessed', { [member]: value }) }, INVALID);
    }
  }
  for (const member of ['publication', 'checkpoint'])
    yield make(`no ${member}`, { patches: shownWith('witnessed', { [member]: undefined }) }, INVALID);
  for (const base of ['checkpoint', 'witnessed'])
    yield make(
      `${base} with an empty rotation`,
      { base, patches: shownWith(base, { rotation: [] }) },
      'accept',
    );
  for (const [name, value] of [...ODD_VALUES, ['an object', {}] as const]) {
    const own = {
      base: 'checkpoint',
      patches: shownWith('checkpoint', { later: value }),
      rule: 'later-versions',
    };
    yield make(`another member ${name}`, own, either(name !== '2^53', ...INVALID));
  }
  // Nobody asks for the proof.
  const proof = { base: 'checkpoint', patches: shownWith('checkpoint', { log_proof: 'x' }) };
  yield make('a proof without a log', proof, either(!isAuditor, 'ERR_AUDIT_LOG', 'ERR_NOT_LOGGED'));
  const { root } = golden('witnessed').anchor;
  const ignored = { anchor: JSON.stringify({ root }), patches: shownWith('witnessed', { log_proof: 'x' }) };
  yield make(
    'a wrong proof that is not asked for',
    ignored,
    either(!isAuditor, 'ERR_AUDIT_LOG', 'ERR_NOT_LOGGED'),
  );
}

function* texts(role: Role): Generator<Case> {
  const base = 'checkpoint';
  const why = 'Parsers could read this text differently.';
  const make = topic(role, 'statements', { rule: 'strict-json', base, why });
  const text = textIn(golden(base).files, STATEMENTS);
  for (const [name, change] of Object.entries(JSON_TRAPS)) {
    const changed = change(text);
    // An auditor wants the canonical form.
    const isGood = GOOD_JSON.includes(name) && role !== 'auditor';
    yield make(
      `with ${name}`,
      { patches: [{ file: STATEMENTS, text: changed }] },
      either(isGood, ...INVALID),
    );
  }
  const twice = text.replace('{', '{"publication":"x",');
  yield make('with a publication twice', { patches: [{ file: STATEMENTS, text: twice }] }, INVALID);
  for (const [name, length] of Object.entries({
    half: text.length >> 1,
    'all but the end': text.length - 1,
    nothing: 0,
  }))
    yield make(`cut to ${name}`, { patches: [{ file: STATEMENTS, length }] }, INVALID);
  const overlong = { file: STATEMENTS, at: 3, xor: 0x80 };
  yield make('with bytes that are not UTF-8', { patches: [overlong] }, INVALID);
}

const LARGEST = 1_048_576;
const LARGEST_ROTATION = 262_144;
const LARGEST_PROOF = 65_536;

function* sizes(role: Role): Generator<Case> {
  const why = 'The file, or a member, is as large as it may be, or larger.';
  const make = topic(role, 'statements', { rule: 'limits', base: 'checkpoint', why });
  const text = textIn(golden('checkpoint').files, STATEMENTS);
  for (const size of [LARGEST, LARGEST + 1]) {
    const filled = (note: string) =>
      text.replace(/^\{(.*),"publication":/, `{$1,"note":"${note}","publication":`);
    const padded = filled('x'.repeat(size - utf8(filled('')).length));
    const right = either(size === LARGEST, 'ERR_SOURCE_TOO_LARGE', 'ERR_IO_FAILED');
    yield make(`of ${size} bytes`, { patches: [{ file: STATEMENTS, text: padded }] }, right);
  }
  for (const size of [LARGEST_ROTATION, LARGEST_ROTATION + 1]) {
    const now = golden('checkpoint').now + STEPS * 60_000;
    const own = { patches: rotationOf(size), now, rule: 'rotation-read' };
    yield make(
      `a rotation of ${size} bytes`,
      own,
      either(size === LARGEST_ROTATION, 'ERR_ROTATION_INVALID', 'ERR_AUDIT_ROOT_KEY'),
    );
  }
  for (const size of [LARGEST_PROOF, LARGEST_PROOF + 1]) {
    const own = { base: 'witnessed', patches: shownWith('witnessed', { log_proof: proofOf(size) }) };
    const right = either(size === LARGEST_PROOF, 'ERR_NOT_LOGGED', 'ERR_AUDIT_LOG');
    // Only a trust anchor that names the log asks for it.
    yield make(`a proof of ${size} bytes`, own, right);
  }
}

/** A proof with as many bytes, in a line that is ignored and a signature line of a stranger. */
function proofOf(size: number): string {
  const proof = textIn(golden('witnessed').files, LOG_PROOF);
  const line = (name: string) => `— ${name} AAAAAAAA\n`;
  const room = size - utf8(proof + line('')).length - 'extra \n'.length;
  const extra = 'A'.repeat(Math.floor((room - 10) / 4) * 4);
  return `${proof.replace('index', `extra ${extra}\nindex`)}${line('x'.repeat(room - extra.length))}`;
}

const STEPS = 17;

/** A rotation whose steps have as many bytes together. Not every length of one step exists in base64url. */
function rotationOf(size: number): Patch[] {
  const lengthOf = ({ steps }: Registry) => steps.reduce((sum, step) => sum + step.length, 0);
  const rotate = (registry: Registry, number: number, note: number) =>
    registry.rotate(`long ${number}`, undefined, { note: 'x'.repeat(note) });
  for (let more = 0; more < 4; more++) {
    const registry = golden('checkpoint').registry.copy();
    for (let number = 1; number < STEPS; number++)
      rotate(registry, number, number > 1 ? 11_270 : 11_270 + more);
    const least = Math.floor((size - lengthOf(rotate(registry.copy(), STEPS, 0))) * 0.75);
    for (let note = least - 2; note < least + 3; note++) {
      const made = rotate(registry.copy(), STEPS, note);
      if (lengthOf(made) === size) return shown(made, 'checkpoint').patches.slice();
    }
  }
  throw new Error(`no rotation has ${size} bytes`);
}

/** Members that belong to different publications. */
function* mixed(role: Role): Generator<Case> {
  for (const base of ['checkpoint', 'root-checkpoint']) {
    const why = 'The members belong to different publications.';
    const make = topic(role, 'mixed', { rule: 'statement-checkpoint', base, why });
    const mismatch: Right = ['ERR_CHECKPOINT_MISMATCH'];
    const before = golden(base).registry;
    const withCheckpoint = (registry: Registry) => registry.state({ checkpoint: before.checkpoint });
    const newer = variant(base, (registry) => withCheckpoint(registry.publish()));
    yield make(`${base}, a checkpoint for the publication before`, { patches: newer }, mismatch);
    const again = variant(base, (registry) => withCheckpoint(registry.publish({ at: registry.now })));
    yield make(`${base}, a checkpoint for another publication of the list`, { patches: again }, mismatch);
    const older = variant(base, (registry) => {
      const { checkpoint } = registry.copy().publish();
      registry.state({ checkpoint });
    });
    yield make(`${base}, a checkpoint for the next publication`, { patches: older }, mismatch);
    const signed = variant(base, (registry) =>
      registry.seal({ publication: sha256Hex(utf8(registry.publication)) }),
    );
    yield make(
      `${base}, a checkpoint that names the publication with its signature`,
      { rule: 'statement-hash', patches: signed },
      mismatch,
    );
  }
  const rotated = golden('rotated').registry;
  const make = topic(role, 'mixed', {
    rule: 'rotation-replaced',
    base: 'rotated',
    why: 'A rotation replaces the root key.',
  });
  const { publication, checkpoint } = golden('checkpoint').registry;
  const old = variant('rotated', (registry) => registry.state({ publication, checkpoint }));
  yield make('statements of before the rotation', { patches: old }, ['ERR_PUBLICATION_INVALID']);
  const without = variant('rotated', (registry) => registry.state({ rotation: undefined }));
  yield make('no rotation', { patches: without }, ['ERR_PUBLICATION_INVALID', 'ERR_AUDIT_ROOT_KEY']);
  const byOld = rotated.chain[0] ?? rotated.root;
  const signed = variant('rotated', (registry) => {
    const claims = { iat: registry.now + 10, exp: registry.now + 3600, tree_sha256: '0'.repeat(64) };
    const named = { ...claims, publication: statementHash(registry.publication) };
    registry.state({ checkpoint: jwt(byOld, { typ: 'registry-checkpoint+jwt' }, named) });
  });
  yield make('a checkpoint by the replaced key', { patches: signed, rule: 'checkpoint-signer' }, [
    'ERR_CHECKPOINT_INVALID',
  ]);
}
