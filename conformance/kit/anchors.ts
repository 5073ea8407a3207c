import type { Case } from '../cases/case.js';
import { unbase64 } from '../cases/encoding.js';
import { golden } from '../cases/goldens.js';
import { key } from '../cases/keys.js';
import { ORIGIN } from '../cases/log.js';
import { either, makeCase } from '../cases/make-case.js';
import { verifierKey } from '../cases/note.js';
import { witnessesOf } from '../cases/registry.js';
import { smallOrderKeys } from '../cases/small-order.js';

const base = 'stated';
const REFUSED = ['ERR_TRUST_ANCHOR_INVALID', 'ERR_ROOT_KEY_INVALID'];

/** The text of a trust anchor with the right root key, and whether it is good. */
interface AnchorText {
  readonly name: string;
  readonly rule: string;
  readonly anchor: string;
  readonly isGood: boolean;
}

/** Trust anchors with the right root key. Whoever verifies a list checks the form of all members. */
export function* anchorKit(): Generator<Case> {
  const why = 'Only the other members of the trust anchor decide.';
  for (const { name, isGood, ...shown } of [...ofMembers(), ...ofTexts()]) {
    const draft = { id: `anchor/${name}`, base, why, ...shown };
    yield makeCase('list', draft, either(isGood, ...REFUSED));
  }
}

function* ofMembers(): Generator<AnchorText> {
  const { root } = golden(base).anchor;
  for (const [member, { good, bad }] of Object.entries(membersOf())) {
    for (const [name, value] of [...Object.entries(good), ...Object.entries(bad)]) {
      const members = member === 'log' ? (value as object) : { [member]: value };
      const anchor = JSON.stringify({ root, ...members });
      yield { name: `${member}, ${name}`, rule: 'trust-anchor', anchor, isGood: name in good };
    }
  }
}

function* ofTexts(): Generator<AnchorText> {
  const key = JSON.stringify(golden(base).anchor.root);
  const texts: Readonly<Record<string, { readonly good: Texts; readonly bad: Texts }>> = {
    'trust-anchor-closed': {
      good: { 'what a list verifier does not enforce': `{"root":${key},"log":"registry.example/log"}` },
      bad: {
        'another member': `{"root":${key},"note":1}`,
        checkpoint: `{"root":${key},"checkpoint":"required"}`,
        'another member that is null': `{"root":${key},"max_age":null}`,
        'an empty member name': `{"root":${key},"":""}`,
      },
    },
    'strict-json': {
      good: {
        'white space': ` {\n"root" : ${key}\t}\r\n`,
        'a member with an escape': `{"r\\u006fot":${key}}`,
      },
      bad: {
        'a member twice': `{"root":${key},"root":${key}}`,
        'a member twice in two spellings': `{"root":${key},"r\\u006fot":${key}}`,
        'a member of root twice': `{"root":${key.replace('{', '{"kty":"OKP",')}}`,
        'a byte order mark': `\uFEFF{"root":${key}}`,
        'something after': `{"root":${key}}{}`,
        'a comma too many': `{"root":${key},}`,
        'no text': '',
      },
    },
    'trust-anchor': {
      good: {},
      bad: { 'no root': '{}', 'an array': `[{"root":${key}}]`, 'the key itself': key },
    },
  };
  for (const [rule, { good, bad }] of Object.entries(texts)) {
    for (const [name, anchor] of Object.entries({ ...good, ...bad }))
      yield { name, rule, anchor, isGood: name in good };
  }
}

type Texts = Readonly<Record<string, string>>;

/** Values of a member, by what is special. */
type Values = Readonly<Record<string, unknown>>;

/** Every member besides `root` on both sides of its borders. Those of a log depend on each other. */
const membersOf = (): Readonly<Record<string, { readonly good: Values; readonly bad: Values }>> => ({
  next_roots: nextRoots(),
  sources: {
    good: {
      one: ['https://a.example'],
      'two, with port and path': ['https://a.example/', 'http://b.example:8080/x/'],
      'two ports': ['https://a.example', 'https://a.example:8443'],
      'the port 65535': ['https://a.example:65535'],
      'one and two slashes': ['https://a.example/x/', 'https://a.example/x//'],
      'two cases of a path': ['https://a.example/x', 'https://a.example/X'],
    },
    bad: {
      none: [],
      null: null,
      'a text': 'https://a.example',
      'one twice': ['https://a.example', 'https://a.example'],
      'one twice, with a slash': ['https://a.example', 'https://a.example/'],
      'a path twice, with a slash': ['https://a.example/x', 'https://a.example/x/'],
      'one twice, in upper case': ['https://a.example', 'https://A.example'],
      'one twice, with its port': ['https://a.example', 'https://a.example:443'],
      'one twice, with dots': ['https://a.example/y', 'https://a.example/x/../y'],
      'the port 65536': ['https://a.example:65536'],
      'a query': ['https://a.example/?x'],
      credentials: ['https://a@a.example'],
      'another scheme': ['ftp://a.example'],
      'a final newline': ['https://a.example\n'],
      'a number': [1],
    },
  },
  log: logMembers(),
});

function nextRoots() {
  const prints = ['a', 'b', 'c', 'd'].map((name) => key(name).thumbprint);
  const [one = ''] = prints;
  const own = golden(base).registry.root.thumbprint;
  return {
    good: { one: [one], three: prints.slice(0, 3) },
    bad: {
      ...{ none: [], four: prints, twice: [one, one], null: null, 'a text': one, 'a number': [1] },
      ...{ 'root itself': [own], 'one and root itself': [one, own] },
      ...{ 'a short one': [one.slice(1)], padding: [`${one}=`], 'a key': [key('a').jwk] },
    },
  };
}

function logMembers() {
  const log = ORIGIN;
  const names = Array.from({ length: 33 }, (_one, number) => `w${number}.example`);
  const signers = witnessesOf({ witnesses: names });
  const witnesses = signers.map(verifierKey);
  const [first, second] = signers;
  const [one = '', two = ''] = witnesses;
  if (first === undefined || second === undefined) throw new Error('there are no witnesses');
  const ofSigner = (change: object) => verifierKey({ ...first, ...change });
  const weak = (name: string) => {
    const x = smallOrderKeys(golden(base).registry.now)[name]?.jwk.x ?? '';
    return ofSigner({ key: { ...first.key, publicKey: unbase64(x) } });
  };
  const pair = { log, witnesses: [one, two] };
  return {
    good: {
      alone: { log },
      'with a port': { log: 'a.example:8080/x/log' },
      'of 255 characters': { log: `${'a'.repeat(251)}/log` },
      'one witness': { log, witnesses: [one], quorum: 1 },
      '32 witnesses': { log, witnesses: witnesses.slice(0, 32), quorum: 32 },
      'a quorum of 1': { ...pair, quorum: 1 },
      'a quorum of all': { ...pair, quorum: 2 },
    },
    bad: {
      'with a scheme': { log: `https://${log}` },
      'without /log': { log: 'a.example' },
      'of 256 characters': { log: `${'a'.repeat(252)}/log` },
      'a slash at the end': { log: `${log}/` },
      null: { log: null },
      'no log, but witnesses': { witnesses: [one], quorum: 1 },
      'no log, but a quorum': { quorum: 1 },
      'witnesses without a quorum': { log, witnesses: [one] },
      'a quorum without witnesses': { log, quorum: 1 },
      '33 witnesses': { log, witnesses, quorum: 1 },
      'no witnesses': { log, witnesses: [], quorum: 1 },
      'a quorum of 0': { ...pair, quorum: 0 },
      'a quorum of 3': { ...pair, quorum: 3 },
      'a quorum of 1.5': { ...pair, quorum: 1.5 },
      'a quorum that is a text': { ...pair, quorum: '1' },
      'a witness twice': { log, witnesses: [one, one], quorum: 1 },
      'a key under two names': { log, witnesses: [one, ofSigner({ name: 'other.example' })], quorum: 1 },
      'the id of another key': {
        log,
        witnesses: [one.replace(/\+[0-9a-f]{8}/, two.match(/\+[0-9a-f]{8}/)?.[0] ?? '')],
        quorum: 1,
      },
      'the key of a log': { log, witnesses: [ofSigner({ purpose: 'log' })], quorum: 1 },
      'a witness of order 1': { log, witnesses: [weak('of order 1')], quorum: 1 },
      'a witness of order 8': { log, witnesses: [weak('of order 8')], quorum: 1 },
      'a witness that is not canonical': { log, witnesses: [weak('y equal to p + 1')], quorum: 1 },
      'a witness without a name': { log, witnesses: [ofSigner({ name: '' })], quorum: 1 },
      'a name with a space': { log, witnesses: [ofSigner({ name: 'a b' })], quorum: 1 },
    },
  };
}
