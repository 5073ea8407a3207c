import type { Case, Right, Role } from '../cases/case.js';
import { HEADERS, ODD_VALUES } from '../cases/claims.js';
import { jcs } from '../cases/encoding.js';
import { textIn } from '../cases/files.js';
import { badKeys, GOOD_KEYS } from '../cases/forgeries.js';
import { golden } from '../cases/goldens.js';
import { decodeJwt, type Members, rawJwt } from '../cases/jwt.js';
import { key } from '../cases/keys.js';
import { ORIGIN } from '../cases/log.js';
import { either, sealing, signerOf, topic } from '../cases/make-case.js';
import { verifierKey } from '../cases/note.js';
import type { Patch, Resigned } from '../cases/patch.js';
import {
  CHECKPOINT as CHECKPOINT_PART,
  PUBLICATION as PUBLICATION_PART,
  ROTATION as ROTATION_PART,
} from '../cases/statements.js';
import { FORMS, GOOD_JSON, GOOD_NUMBERS, JSON_TRAPS, NUMBER_TRAPS, ofSize } from '../cases/traps.js';

/** A statement of a golden tree, its code when it is malformed, and the roles that see its cases. */
interface Target {
  readonly base: string;
  readonly file: string;
  readonly code: string;
  readonly rule: string;
  /** Who sees texts that parsers read differently, and who sees other claims. */
  readonly parsers: readonly Role[];
  readonly readers: readonly Role[];
}

const PUBLICATION: Target = {
  ...{ base: 'stated', file: PUBLICATION_PART, code: 'ERR_PUBLICATION_INVALID', rule: 'statement-claims' },
  ...{ parsers: ['lookup'], readers: ['client', 'auditor'] },
};
const CHECKPOINT: Target = {
  ...{ base: 'checkpoint', file: CHECKPOINT_PART, code: 'ERR_CHECKPOINT_INVALID', rule: 'checkpoint-form' },
  ...{ parsers: ['client'], readers: ['client', 'auditor'] },
};
const ROTATION: Target = {
  ...{ base: 'rotated', file: ROTATION_PART, code: 'ERR_ROTATION_INVALID', rule: 'rotation-form' },
  ...{ parsers: ['client'], readers: ['client'] },
};
const TARGETS = [PUBLICATION, CHECKPOINT, ROTATION];

/** Statements whose texts, headers and claims are odd. The right key has signed them. */
export function* statementKit(role: Role): Generator<Case> {
  for (const target of TARGETS) {
    if (target.readers.includes(role)) yield* claims(role, target);
    if (target.readers.includes(role)) yield* headers(role, target);
    if (target.parsers.includes(role)) yield* traps(role, target);
  }
}

const isRotation = ({ file }: Target) => file === ROTATION_PART;
const topicOf = ({ file }: Target) => file.replace(/^.*#/, '');

function partsOf(target: Target) {
  const tree = golden(target.base);
  const whole = textIn(tree.files, target.file);
  const text = isRotation(target) ? ((JSON.parse(whole) as string[])[0] ?? '') : whole;
  return { tree, text, signer: signerOf(tree, target.file, 0), ...decodeJwt(text) };
}

function sealed({ file, base }: Target, patch: Patch): Patch[] {
  return file === PUBLICATION_PART ? [patch, sealing(golden(base))] : [patch];
}

function* traps(role: Role, target: Target): Generator<Case> {
  const { signer, text, header, claims: payload } = partsOf(target);
  const { base, file, code } = target;
  const why = 'Parsers could read this text differently.';
  const read = topic(role, topicOf(target), { rule: 'strict-json', base, why });
  const make = (name: string, changed: string, right: Right) => {
    const content = isRotation(target) ? JSON.stringify([changed]) : changed;
    const patches = sealed(target, { file, text: content });
    const isForm = name.startsWith('form') || name.startsWith('of ');
    return read(name, { patches, ...(isForm && { rule: 'jwt-profile' }) }, right);
  };
  const by = key(signer);
  for (const [name, change] of Object.entries({ ...JSON_TRAPS, ...NUMBER_TRAPS })) {
    const changed = change(jcs(payload));
    if (changed === jcs(payload)) continue;
    const isGood = GOOD_JSON.includes(name) || GOOD_NUMBERS.includes(name);
    // Minus zero is an integer, but no checkpoint is valid from 1970 on.
    const isZero = name === 'iat minus zero' && file !== CHECKPOINT_PART;
    yield make(`payload with ${name}`, rawJwt(by, jcs(header), changed), either(isGood || isZero, code));
  }
  for (const [name, change] of Object.entries(JSON_TRAPS)) {
    const signed = rawJwt(by, change(jcs(header)), jcs(payload));
    yield make(`header with ${name}`, signed, either(GOOD_JSON.includes(name), code));
  }
  // A signature that is not 64 bytes is no fault of the form of a rotation.
  const codes = isRotation(target) ? [code, 'ERR_ROTATION_SIGNATURE'] : [code];
  for (const [name, change] of Object.entries(FORMS)) yield make(`form with ${name}`, change(text), codes);
  for (const size of [16_384, 16_385]) {
    const signed = ofSize(size, (pad, note) =>
      rawJwt(by, jcs({ ...header, pad }), jcs({ ...payload, note })),
    );
    yield make(`of ${size} bytes`, signed, either(size === 16_384, code));
  }
}

/** Headers of the table that are right for every statement. */
const GOOD_HEADERS = ['alg EdDSA', 'alg Ed25519', 'another member'];
/** Headers with another `kid`, or with none. */
const KIDS = ['no kid', 'kid null', 'kid a number', 'kid of a stranger', 'kid empty'];

function* headers(role: Role, target: Target): Generator<Case> {
  const { signer, header } = partsOf(target);
  const { base, file, code } = target;
  const isFree = file === PUBLICATION_PART;
  const why = 'The header has another member.';
  const make = topic(role, topicOf(target), { rule: 'jwt-profile', base, why });
  for (const [name, change] of HEADERS) {
    const patch: Patch = { file, key: signer, ...(isRotation(target) && { step: 0 }), ...change };
    const isGood =
      GOOD_HEADERS.includes(name) || name === `typ ${header['typ']}` || (isFree && KIDS.includes(name));
    const codes = isRotation(target) ? [code, 'ERR_ROTATION_GAP', 'ERR_ROTATION_SIGNATURE'] : [code];
    yield make(`header ${name}`, { patches: sealed(target, patch) }, either(isGood, ...codes));
  }
}

/** Odd values that are no integer from 0 to 2^53 - 1, and those that are no text of any form. */
const NO_INTEGERS = ['null', 'true', '-1', '1.5', '2^53', 'text', 'an array'];
const NO_TEXTS = ['null', 'true', '0', '-1', '1.5', 'text', 'an array'];
const HASH = 'a'.repeat(64);

/** What a claim of a statement may be: an integer or a text, and whether it may be absent. */
const CLAIMS: Readonly<Record<string, Readonly<Record<string, 'integer' | 'integer?' | 'text' | 'text?'>>>> =
  {
    [PUBLICATION_PART]: {
      ...{ iat: 'integer', sequence: 'integer', size: 'integer', issuers: 'integer', levels: 'integer' },
      ...{
        updated_at: 'text',
        sha256: 'text',
        sums_sha256: 'text',
        exp: 'integer?',
        nbf: 'integer?',
      },
    },
    [CHECKPOINT_PART]: {
      ...{ iat: 'integer', exp: 'integer', nbf: 'integer?', publication: 'text', tree_sha256: 'text' },
    },
    [ROTATION_PART]: { iat: 'integer', exp: 'integer?', nbf: 'integer?', step: 'integer?' },
  };

function* claims(role: Role, target: Target): Generator<Case> {
  const { signer } = partsOf(target);
  const { base, file, code, rule } = target;
  const said = topic(role, topicOf(target), { rule, base, why: 'A claim has another value.' });
  const make = (name: string, change: Partial<Resigned>, right: Right) => {
    const patch: Patch = { file, key: signer, ...(isRotation(target) && { step: 0 }), ...change };
    return said(name, { rule: ruleOf(name, rule), patches: sealed(target, patch) }, right);
  };
  for (const [claim, form] of Object.entries(CLAIMS[file] ?? {})) {
    yield make(`${claim} absent`, { without: [`claims.${claim}`] }, either(form.endsWith('?'), code));
    for (const [name, value] of ODD_VALUES) {
      if (!(form.startsWith('integer') ? NO_INTEGERS : NO_TEXTS).includes(name)) continue;
      yield make(`${claim} ${name}`, { claims: { [claim]: value } }, [code]);
    }
  }
  yield make('another claim', { claims: { note: { any: ['thing'] } } }, 'accept');
  yield* special(target, (name, value, right = [code]) => make(name, { claims: value as Members }, right));
  // An auditor also looks for the log itself.
  if (target !== PUBLICATION || role === 'auditor') return;
  // Nothing is decided by it.
  const odd = { toString: 0, valueOf: 0 };
  yield make('about_sha256 an object', { claims: { about_sha256: odd } }, 'accept');
  yield* logClaims((name, log, right = [code]) => make(name, { claims: { log } }, right));
}

/** The profile has the rules of every claim, and of times. */
const ruleOf = (name: string, rule: string) =>
  /^(iat|exp|nbf|another claim)/.test(name)
    ? 'jwt-profile'
    : name.startsWith('next_roots')
      ? 'commitment-form'
      : name.startsWith('online')
        ? 'online-keys'
        : rule;

/** Makes a case of a statement with other claims. */
type Make = (name: string, value: object, right?: Right) => Case;

function* special(target: Target, made: Make): Generator<Case> {
  const refused = [target.code];
  const make = (name: string, value: object, right: Right = refused) => made(name, value, right);
  const { claims: usual } = partsOf(target);
  if (target === PUBLICATION || target === CHECKPOINT) {
    const hashes = target === PUBLICATION ? ['sha256', 'sums_sha256'] : ['publication', 'tree_sha256'];
    for (const claim of hashes) {
      const hash = String(usual[claim]);
      yield make(`${claim} in capitals`, { [claim]: hash.toUpperCase() });
      yield make(`${claim} too short`, { [claim]: hash.slice(1) });
      yield make(`${claim} with a newline`, { [claim]: `${hash}\n` });
    }
  }
  if (target === PUBLICATION) {
    for (const time of ['2026-11-21T08:03:00.0Z', '2026-11-21t08:03:00z', '2026-11-31T08:03:00Z'])
      yield make(`updated_at ${time}`, { updated_at: time });
    yield* previousHashes(make);
    yield make('levels 9', { levels: 9 });
    for (const [name, value] of ODD_VALUES) if (name !== '2^53') yield make(`log ${name}`, { log: value });
    yield make('log without a key', { log: { origin: 'registry.example/log' } });
    yield* onlineKeys((name, online, right = refused) => make(name, { online }, right));
    const other = ['ERR_PUBLICATION_MISMATCH', 'ERR_AUDIT_PUBLICATION'];
    yield make('size is lower', { size: 1 }, other);
    yield make('size is higher', { size: Number(usual['size']) + 1 }, other);
    yield make('issuers is another', { issuers: 1 }, other);
    yield make('sha256 is another', { sha256: HASH }, other);
    yield make('updated_at is another', { updated_at: '2026-11-21T08:00:01Z' }, other);
  }
  if (target === CHECKPOINT) {
    yield make('publication is another', { publication: HASH }, ['ERR_CHECKPOINT_MISMATCH']);
    yield make(
      'the claims of an earlier version',
      { updated_at: null, sha256: 1, size: 'x', sequence: -1 },
      'accept',
    );
  }
  if (target === ROTATION) {
    yield make('step 2', { step: 2 });
    yield make('step 0', { step: 0 });
    yield make('it has expired', { exp: 1 }, 'accept');
    for (const [name, value] of ODD_VALUES)
      if (name !== '2^53') yield make(`next_root ${name}`, { next_root: value });
    const next = ['a', 'b', 'c', 'd'].map((name) => key(name).thumbprint);
    for (const count of [1, 3])
      yield make(`next_roots ${count}`, { next_roots: next.slice(0, count) }, 'accept');
    yield make('next_roots 4', { next_roots: next });
    for (const value of [null, [], ['x'], 'x', [1]])
      yield make(`next_roots ${JSON.stringify(value)}`, { next_roots: value });
  }
}

/** The publications before. A reader checks no more than the form. */
function* previousHashes(make: Make): Generator<Case> {
  for (const [name, value] of ODD_VALUES) {
    if (name === '2^53') continue;
    yield make(`previous ${name === 'an array' ? 'empty' : name}`, { previous: value });
  }
  const hashes = Array.from({ length: 17 }, (_one, at) => at.toString(16).padStart(64, '0'));
  for (const count of [1, 16])
    yield make(`previous ${count}`, { previous: hashes.slice(0, count) }, 'accept');
  yield make('previous 17', { previous: hashes });
  yield make('previous a hash', { previous: HASH });
  const odd = { short: HASH.slice(1), long: `${HASH}0`, empty: '', 'with a newline': `${HASH}\n` };
  for (const [name, hash] of Object.entries(odd)) yield make(`previous a hash ${name}`, { previous: [hash] });
  yield make('previous in capitals', { previous: [HASH.toUpperCase()] });
  yield make('previous with null', { previous: [HASH, null] });
}

/** The name of a log and its key, which may have more members. */
function* logClaims(make: Make): Generator<Case> {
  const signer = (name: string, purpose: 'log' | 'witness' = 'log') =>
    verifierKey({ key: key('log'), name, purpose });
  const named = (origin: string) => ({ origin, vkey: signer(origin) });
  const good = named(ORIGIN);
  yield make('log as it is', good, 'accept');
  yield make('log with another member', { ...good, more: 1 }, 'accept');
  yield make('log without a name', { vkey: good.vkey });
  yield make('log with the key of another', { ...good, origin: 'registry.example/x/log' });
  yield make('log with the key of a witness', { ...good, vkey: signer(ORIGIN, 'witness') });
  yield make('log with keys', { ...good, vkey: [good.vkey] });
  yield make('log with a newline', { ...good, vkey: `${good.vkey}\n` });
  yield make('log of 255 characters', named(`${'a'.repeat(251)}/log`), 'accept');
  const names = ['', 'log', '/log', 'registry.example', 'registry.example/', 'https://registry.example/log'];
  const others = ['registry.example/Log', 'registry.example/log/', 'a b/log', 'a+b/log', 'é/log'];
  for (const name of [...names, ...others, `${'a'.repeat(252)}/log`])
    yield make(`log named ${name.slice(0, 40) || 'nothing'}`, named(name));
}

/** The online keys, whether or not one of them has signed the checkpoint. */
function* onlineKeys(made: (name: string, online: unknown, right?: Right) => Case): Generator<Case> {
  const { registry } = golden('checkpoint');
  const { jwk } = registry.online;
  const good = registry.onlineClaim();
  const make = (name: string, more: Members, right?: Right) =>
    made(`online with ${name}`, { ...good, ...more }, right);
  yield made('online as it is', good, 'accept');
  for (const [name, value] of ODD_VALUES) if (name !== '2^53') yield made(`online ${name}`, value);
  for (const member of Object.keys(good)) yield make(`${member} absent`, { [member]: undefined });
  yield make('another member', { more: 1 }, 'accept');
  for (const value of [null, 'x', {}, [], [null], [1]])
    yield make(`keys ${JSON.stringify(value)}`, { keys: value });
  yield make('16 keys', { keys: Array(16).fill(jwk) }, 'accept');
  yield make('17 keys', { keys: Array(17).fill(jwk) });
  for (const [name, value] of ODD_VALUES)
    yield make(`exp ${name}`, { exp: value }, either(!NO_INTEGERS.includes(name), 'ERR_PUBLICATION_INVALID'));
  yield make('hold true', { hold: true }, 'accept');
  for (const value of [null, 0, 1, 'true']) yield make(`hold ${JSON.stringify(value)}`, { hold: value });
  for (const [name, bad] of Object.entries(badKeys(jwk))) {
    const right = either(GOOD_KEYS.includes(name), 'ERR_PUBLICATION_INVALID');
    yield make(`a key with ${name}`, { keys: [jwk, bad] }, right);
  }
}
