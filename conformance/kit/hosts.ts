import type { Case, Right, Role, ScriptedAnswer, ShownTree, Step } from '../cases/case.js';
import { base64 } from '../cases/encoding.js';
import { bytesIn, textIn } from '../cases/files.js';
import { golden } from '../cases/goldens.js';
import { topic, variant, type Work } from '../cases/make-case.js';
import type { Patch } from '../cases/patch.js';

/** What a host answers in place of a file, why it is refused, and by which rule, if not by that of all of them. */
const ANSWERS: Readonly<
  Record<string, readonly [answer: ScriptedAnswer, code?: string | undefined, rule?: string]>
> = {
  'status 300': [{ status: 300 }, 'ERR_SOURCE_REDIRECTED', 'no-redirects'],
  'status 302': [
    { status: 302, location: 'https://source-0.example/elsewhere' },
    'ERR_SOURCE_REDIRECTED',
    'no-redirects',
  ],
  'status 204': [{ status: 204 }, 'ERR_SOURCE_STATUS'],
  'status 304': [{ status: 304 }, 'ERR_SOURCE_STATUS'],
  'status 403': [{ status: 403 }, 'ERR_SOURCE_STATUS'],
  'status 404': [{ status: 404 }],
  'status 410': [{ status: 410 }],
  'status 500': [{ status: 500 }, 'ERR_SOURCE_STATUS'],
  'an HTML page': [{ type: 'text/html; charset=utf-8' }, 'ERR_SOURCE_CONTENT', 'content-types'],
  'a type in capitals': [{ type: 'TEXT/HTML' }, 'ERR_SOURCE_CONTENT', 'content-types'],
  'another type': [{ type: 'application/octet-stream' }, undefined, 'content-types'],
  'no response': [{ ends: 'early' }, 'ERR_SOURCE_UNREACHABLE', 'failed-requests'],
  'half a response': [{ ends: 'amid' }, 'ERR_SOURCE_TRUNCATED', 'failed-requests'],
};

/** Files whose failed requests end the source, and what is right if a file is absent, whether the status is 404 or 410. */
const NEEDED: Readonly<Record<string, Right>> = {
  'publication.jwt': ['ERR_PUBLICATION_MISSING'],
  'checkpoint.jwt': ['ERR_CHECKPOINT_MISSING'],
  'keys/rotation.json': 'accept',
};
/** A look-up needs more. */
const NEEDED_BY_LOOKUP = { 'sums/root': ['ERR_SOURCE_STATUS'], 'issuers/alpha': ['ERR_SOURCE_STATUS'] };

/** Hosts that answer with something else than a file, late, or differently each time. */
export function* hostKit(role: Role): Generator<Case> {
  yield* oddAnswers(role);
  yield* mirrors(role);
  yield* again(role);
  if (role === 'lookup') yield* caches(role);
  yield* deadlines(role);
}

const base = 'checkpoint';
const asItIs: ShownTree = { base, patches: [] };

function* oddAnswers(role: Role): Generator<Case> {
  const why = 'The host answers for one file with something else.';
  const alpha = { ask: ['alpha'], trusted: ['alpha'] };
  const make = topic(role, 'host', { rule: 'host-responses', base, why, ...alpha });
  const needed = { ...NEEDED, ...(role === 'lookup' && NEEDED_BY_LOOKUP) };
  for (const [file, absent] of Object.entries(needed)) {
    for (const [name, [answer, code, rule = 'host-responses']] of Object.entries(ANSWERS)) {
      // A file that is not there has no other type.
      if (name === 'another type' && !golden(base).files.has(file)) continue;
      const isAbsent = name === 'status 404' || name === 'status 410';
      const right: Right = code === undefined ? (isAbsent ? absent : 'accept') : [code];
      yield make(`${file}, ${name}`, { rule, script: { [file]: [answer] } }, right);
    }
  }
}

/** The registry fails, and a mirror does not. */
function* mirrors(role: Role): Generator<Case> {
  const { now } = golden(base);
  const make = topic(role, 'mirror', { rule: 'failed-requests', base, why: 'A mirror has the file.' });
  for (const name of ['status 302', 'status 500', 'an HTML page', 'no response']) {
    const [answer = null, , rule = 'failed-requests'] = ANSWERS[name] ?? [];
    const failing: ShownTree = { ...asItIs, script: { 'publication.jwt': [answer] } };
    const steps = [{ now, sources: [failing, asItIs], right: 'accept' }] as const;
    yield make(name, { rule, steps });
  }
  const newer: ShownTree = { base, patches: variant(base, next) };
  const steps: Step[] = [
    { now: LATER, sources: [newer, asItIs], right: 'accept' },
    { now: LATER + 1000, sources: [asItIs, newer], right: 'accept' },
    { now: LATER + 2000, sources: [asItIs, asItIs], right: ['ERR_LIST_ROLLED_BACK'] },
  ];
  const why = 'A mirror that lags behind is no reason to refuse the others.';
  yield make('it lags behind', { rule: 'list-rollback', why, steps });
}

const LATER = golden(base).now + 3_600_000;
const next: Work = (registry) => registry.change('beta', { tier: 'founding' }).publish();

/** A publication between two requests: the host sends an old file first. */
function* again(role: Role): Generator<Case> {
  const patches = variant(base, next);
  const statement = 'publication.jwt';
  const old = (file: string) => ({ body: base64(bytesIn(golden(base).files, file)) });
  const before = old(statement);
  const why = 'A publication straddles the requests.';
  const make = topic(role, 'again', { rule: 'retries', base, why, patches, now: LATER });
  yield make('an old statement once', { script: { [statement]: [before, null] } }, 'accept');
  yield make('an old statement twice', { script: { [statement]: [before, before, null] } }, 'accept');
  const always = { script: { [statement]: [before] } };
  yield make('an old statement always', always, ['ERR_CHECKPOINT_MISMATCH']);
  yield make('an old checkpoint', { script: { 'checkpoint.jwt': [old('checkpoint.jwt')] } }, 'accept');
}

/** A cache has an old file of the tree of sums. */
function* caches(role: Role): Generator<Case> {
  const patches = variant(base, (registry) => registry.change('alpha', { tier: 'registered' }).publish());
  const file = 'sums/root';
  const old = { body: base64(bytesIn(golden(base).files, file)) };
  const why = 'A cache has an old sums file.';
  const make = topic(role, 'again', { rule: 'sums-caches', base, why, patches, now: LATER });
  for (const count of [1, 2, 3]) {
    const script = { [file]: [...Array(count).fill(old), ...(count < 3 ? [null] : [])] };
    const right: Right = count < 3 ? 'accept' : ['ERR_SUMS_MISMATCH'];
    yield make(`an old sums file, ${count} times`, { script }, right);
  }
}

/** The named list is in two places. */
export function* placeKit(role: Role): Generator<Case> {
  const named = [...golden(base).files.keys()].filter((path) => path.startsWith('snapshots/')).at(-1) ?? '';
  const snapshot = named.replace(/[^/]*$/, '');
  const broken = (file: string, at = 5) => ({ file, at, xor: 1 });
  const placed = topic(role, 'places', { rule: 'two-places', base, why: 'A list is in two places.' });
  const make = (id: string, patches: readonly Patch[], right: Right) => placed(id, { patches }, right);
  const [list, sig] = ['issuers.json', 'issuers.sig'];
  yield make('the list is wrong', [broken(list)], 'accept');
  yield make('the list is missing', [{ file: list, removed: true }], 'accept');
  yield make('the snapshot is wrong', [broken(`${snapshot}${list}`)], 'accept');
  yield make('the signature of the snapshot is wrong', [broken(`${snapshot}${sig}`)], 'accept');
  yield make(
    'the snapshot is missing',
    [list, sig].map((file) => ({ file: snapshot + file, removed: true as const })),
    'accept',
  );
  yield make('half a snapshot', [{ file: snapshot + sig, removed: true }], 'accept');
  const large = (file: string) => {
    const text = textIn(golden(base).files, file).padEnd(257, ' ');
    return { file, text };
  };
  yield make('the signature is too large', [large(sig)], 'accept');
  yield make('both signatures are too large', [large(sig), large(snapshot + sig)], ['ERR_SOURCE_TOO_LARGE']);
  const wrong = ['ERR_SIGNATURE_INVALID', 'ERR_SIGNATURE_MALFORMED'];
  yield make('both are wrong', [broken(list), broken(snapshot + list)], wrong);
  yield make('both signatures are wrong', [broken(sig), broken(snapshot + sig)], wrong);
  yield make(
    'both are missing',
    [
      { file: list, removed: true },
      { file: snapshot + list, removed: true },
    ],
    ['ERR_SOURCE_STATUS'],
  );
}

function* deadlines(role: Role): Generator<Case> {
  const why = 'A mirror answers, and the registry does not.';
  const make = topic(role, 'deadline', { rule: 'deadlines', base, why });
  for (const file of ['publication.jwt', 'keys/rotation.json']) {
    const silent: ShownTree = { ...asItIs, script: { [file]: [{ never: true }] } };
    const steps: Step[] = [{ now: golden(base).now, sources: [silent, asItIs], right: 'accept' }];
    yield make(`a mirror answers for ${file}`, { steps });
  }
  for (const file of ['publication.jwt', 'keys/rotation.json']) {
    const script = { [file]: [{ never: true }] } as const;
    const late = 'The host never answers for one file.';
    yield make(file, { why: late, script }, ['ERR_SOURCE_TIMEOUT']);
  }
}
