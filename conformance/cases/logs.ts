import { jcs, sha256Hex, utf8 } from './encoding.js';
import { bytesIn, textIn } from './files.js';
import { decodeJwt, jwt, type Members } from './jwt.js';
import { key } from './keys.js';
import { delegationEntry, ORIGIN, publicationEntry } from './log.js';
import type { Work } from './make-case.js';
import type { Registry } from './registry.js';

/** Changes of the entries, each made before a last publication. */
export const ENTRIES: Readonly<Record<string, Work>> = {
  'a lower sequence': (registry) => registry.publish({ sequence: 1 }),
  'the same sequence': (registry) => registry.publish({ sequence: registry.sequence }),
  'a gap in the sequence': (registry) => registry.publish({ sequence: registry.sequence + 5 }),
  'an earlier list': (registry) => registry.publish({ at: registry.now - 30 }),
  'another list of the same time': (registry) =>
    registry.change('beta', { tier: 'founding' }).publish({ at: registry.now }),
  'the same list again': (registry) => registry.publish({ at: registry.now }),
  'another previous': (registry) => registry.publish({ claims: { previous: '0'.repeat(64) } }),
  'no previous': (registry) => registry.publish({ claims: { previous: undefined } }),
  'checkpoints are withdrawn': (registry) => registry.publish({ claims: { checkpoint: undefined } }),
  'an earlier delegation': (registry) => registry.delegate({ iat: 1_795_000_000 }),
  'a delegation again': (registry) => registry.delegate().delegate(),
  'a delegation by a stranger': (registry) => {
    const claims = { iat: registry.now, exp: registry.now + 9000, keys: [registry.online.jwk] };
    const text = jwt(
      key('stranger'),
      { typ: 'registry-delegation+jwt', kid: registry.root.thumbprint },
      claims,
    );
    registry.log?.add(delegationEntry(text), text, registry.files);
  },
  'a publication by a stranger': (registry) => addStatement(registry, { signer: 'stranger' }),
  'a publication of a list that nobody has': (registry) => addStatement(registry, { sha256: '0'.repeat(64) }),
  'a publication under another kid': (registry) =>
    addStatement(registry, { kid: { kid: key('spare').thumbprint } }),
  'an entry without a statement': (registry) =>
    registry.log?.add(
      jcs({ iat: registry.now, sha256: '0'.repeat(64), type: 'delegation' }),
      undefined,
      registry.files,
    ),
  'an entry of another type': (registry) =>
    registry.log?.add(jcs({ sha256: '0'.repeat(64), type: 'other' }), 'x', registry.files),
  'an entry that is no JSON': (registry) => registry.log?.add('entry', 'x', registry.files),
  'an entry that is not canonical': (registry) =>
    registry.log?.add(`{ "iat":1,"sha256":"${'0'.repeat(64)}","type":"delegation"}`, 'x', registry.files),
  'an empty entry': (registry) => registry.log?.add('', 'x', registry.files),
  'an entry that is too long': (registry) => registry.log?.add('x'.repeat(4097), 'x', registry.files),
  'an entry with another member': (registry) => addDelegation(registry, { note: 1 }),
  'an entry with another iat': (registry) => addDelegation(registry, { iat: 1 }),
  'an entry with a fraction': (registry) => addDelegation(registry, { iat: 1.5 }),
  'a publication entry with another sequence': (registry) => addPublication(registry, { sequence: 99 }),
  'a publication entry with another list': (registry) => addPublication(registry, { list: '0'.repeat(64) }),
  'a publication twice': (registry) => addPublication(registry, {}),
  'a rotation that skips a step': (registry) => registry.rotate('root 2', undefined, { step: 2 }),
  'a rotation': (registry) => registry.rotate('root 2'),
  'a rotation to a key that is not committed': (registry) => {
    registry.rotate('root 2', ['root 3']);
    registry.rotate('root 4');
  },
  'a statement of another entry': (registry) => {
    registry.files.set('log/statements/1.jwt', bytesIn(registry.files, 'log/statements/0.jwt'));
  },
  'a file that does not belong there': (registry) => registry.files.set('log/note', utf8('x')),
  'a hidden file': (registry) => registry.files.set('log/.htaccess', utf8('x')),
  'a kept list with another name': (registry) =>
    registry.files.set(`log/lists/${'0'.repeat(64)}.json`, utf8('{}')),
  'a narrower tile': (registry) => {
    const tile = [...registry.files].find(([path]) => /^log\/tile\/0\/000\.p\//.test(path));
    if (tile) registry.files.set('log/tile/0/000.p/1', tile[1].slice(0, 32));
  },
  'a wider tile': (registry) => registry.files.set('log/tile/0/000.p/9', new Uint8Array(288)),
  'a proof of an entry that is no publication': (registry) => {
    registry.files.set(
      'log/proofs/0/first.tlog-proof',
      bytesIn(registry.files, 'log/publication.tlog-proof'),
    );
  },
  'a testimony': (registry) => registry.files.set(WITNESS_FILE, bytesIn(registry.files, 'log/checkpoint')),
  'a testimony that is no head': (registry) => registry.files.set(WITNESS_FILE, utf8('x\n')),
};

const WITNESS_FILE = `witness/${sha256Hex(utf8(ORIGIN))}/checkpoint`;

/** Adds a next publication of the same list. @param more - claims, and who signs, if not the root key; also another `kid` */
function addStatement(
  registry: Registry,
  { signer = registry.root.name, kid = {}, ...more }: { signer?: string; kid?: { kid?: string } } & Members,
): void {
  const { claims } = decodeJwt(textIn(registry.files, 'publication.jwt'));
  const sequence = registry.sequence + 1;
  const header = { typ: 'registry-publication+jwt', kid: registry.root.thumbprint, ...kid };
  const made = jwt(key(signer), header, { ...claims, sequence, ...more });
  registry.log?.add(publicationEntry(made), made, registry.files);
}

function addDelegation(registry: Registry, more: Members): void {
  const claims = { iat: registry.now, exp: registry.now + 9000, keys: [registry.online.jwk] };
  const text = jwt(registry.root, { typ: 'registry-delegation+jwt' }, claims);
  registry.log?.add(delegationEntry(text, more), text, registry.files);
}

function addPublication(registry: Registry, more: Members): void {
  const text = textIn(registry.files, 'publication.jwt');
  registry.log?.add(publicationEntry(text, more), text, registry.files);
}
