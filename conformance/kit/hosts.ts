import type { Case, Right, Role, ScriptedAnswer, ShownTree, Step } from '../cases/case.js';
import { base64, sha256Hex } from '../cases/encoding.js';
import { bytesIn, textIn } from '../cases/files.js';
import { golden } from '../cases/goldens.js';
import { filesOf, topic, variant, type Work } from '../cases/make-case.js';
import type { Patch } from '../cases/patch.js';
import { STATEMENTS } from '../cases/statements.js';

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

const base = 'checkpoint';
const asItIs: ShownTree = { base, patches: [] };
const namedIn = (tree: ShownTree) => `lists/${sha256Hex(bytesIn(filesOf(tree), 'issuers.json'))}.json`;
/** The named list. */
const NAMED = namedIn(asItIs);
const withoutOther: Patch = { file: 'issuers.json', removed: true };

/** Files whose failed requests end the source, and what is right if a file is absent, whether the status is 404 or 410. */
const NEEDED: Readonly<Record<string, Right>> = { [STATEMENTS]: ['ERR_SOURCE_STATUS'] };
/** What else a role needs. */
const NEEDED_BY: Readonly<Partial<Record<Role, Readonly<Record<string, Right>>>>> = {
  client: { [NAMED]: ['ERR_PUBLICATION_MISMATCH'] },
  lookup: { 'sums/root': ['ERR_SOURCE_STATUS'], 'issuers/alpha': ['ERR_SOURCE_STATUS'] },
};

/** Hosts that answer with something else than a file, late, or differently each time. */
export function* hostKit(role: Role): Generator<Case> {
  yield* oddAnswers(role);
  yield* mirrors(role);
  yield* again(role);
  yield* lagging(role);
  if (role === 'client') yield* cachedLists();
  if (role === 'lookup') yield* caches(role);
  yield* deadlines(role);
}

function* oddAnswers(role: Role): Generator<Case> {
  const why = 'The host answers for one file with something else.';
  const alpha = { ask: ['alpha'], trusted: ['alpha'] };
  const make = topic(role, 'host', { rule: 'host-responses', base, why, ...alpha });
  for (const [file, absent] of Object.entries({ ...NEEDED, ...NEEDED_BY[role] })) {
    // Without the other place of the list, which a client may read, too.
    const patches = file === NAMED ? [withoutOther] : [];
    const shownName = file === NAMED ? 'the named list' : file;
    for (const [name, [answer, code, rule = 'host-responses']] of Object.entries(ANSWERS)) {
      const isAbsent = name === 'status 404' || name === 'status 410';
      const right: Right = code === undefined ? (isAbsent ? absent : 'accept') : [code];
      yield make(`${shownName}, ${name}`, { rule, patches, script: { [file]: [answer] } }, right);
    }
  }
  if (role !== 'client') return;
  // It may be requested at a first load, and nothing that is wrong with it counts.
  for (const [name, [answer, code]] of Object.entries(ANSWERS)) {
    const script = { 'issuers.json': [answer] };
    const rule = code === undefined ? 'host-responses' : 'named-list';
    yield make(`issuers.json, ${name}`, { rule, script }, 'accept');
  }
}

/** The registry fails, and a mirror does not. */
function* mirrors(role: Role): Generator<Case> {
  const { now } = golden(base);
  const make = topic(role, 'mirror', { rule: 'failed-requests', base, why: 'A mirror has the file.' });
  for (const name of ['status 302', 'status 500', 'an HTML page', 'no response']) {
    const [answer = null, , rule = 'failed-requests'] = ANSWERS[name] ?? [];
    const failing: ShownTree = { ...asItIs, script: { [STATEMENTS]: [answer] } };
    const steps = [{ now, sources: [failing, asItIs], right: 'accept' }] as const;
    yield make(name, { rule, steps });
  }
  const newer: ShownTree = { base, patches: variant(base, next) };
  const steps: Step[] = [
    { now: LATER, sources: [newer, asItIs], right: 'accept' },
    { now: LATER + 1000, sources: [asItIs, newer], right: 'accept' },
    { now: LATER + 2000, sources: [asItIs, asItIs], right: ['ERR_PUBLICATION_ROLLED_BACK'] },
  ];
  const why = 'A mirror that lags behind is no reason to refuse the others.';
  yield make('it lags behind', { rule: 'statement-rollback', why, steps });
}

const LATER = golden(base).now + 3_600_000;
const next: Work = (registry) => registry.change('beta', { tier: 'founding' }).publish();
/** So much later that the list of before is no longer kept. */
const muchLater: Work = (registry) => {
  for (const tier of ['founding', 'registered', 'sandbox']) registry.change('beta', { tier }).publish();
};

const oldFile = (file: string) => ({ body: base64(bytesIn(golden(base).files, file)) });

/** A host or a cache sends old statements first, and has nothing else of that time any more. */
function* again(role: Role): Generator<Case> {
  const patches = variant(base, muchLater);
  const before = oldFile(STATEMENTS);
  const why = 'A cache has old statements.';
  const rule = role === 'lookup' ? 'sums-caches' : 'retries';
  const make = topic(role, 'again', { rule, base, why, patches, now: LATER });
  yield make('old statements once', { script: { [STATEMENTS]: [before, null] } }, 'accept');
  const code = role === 'lookup' ? 'ERR_SUMS_MISMATCH' : 'ERR_PUBLICATION_MISMATCH';
  yield make('old statements always', { script: { [STATEMENTS]: [before] } }, [code]);
  if (role === 'lookup') return;
  yield make('old statements twice', { script: { [STATEMENTS]: [before, before, null] } }, 'accept');
}

/** A mirror that takes over files one by one, and has not finished. */
function* lagging(role: Role): Generator<Case> {
  const newer = variant(base, next);
  const isStatements = (patch: Patch) => 'file' in patch && patch.file === STATEMENTS;
  const why = 'A mirror has files of two publications.';
  const make = topic(role, 'lag', { rule: 'named-list', base, why, now: LATER });
  const before = newer.filter((patch) => !isStatements(patch));
  const after = newer.filter(isStatements);
  if (role === 'lookup') {
    yield make('statements of before, files of after', { rule: 'sums-proof', patches: before }, SUMS);
    yield make('statements of after, files of before', { rule: 'sums-proof', patches: after }, SUMS);
    return;
  }
  yield make('statements of before, files of after', { patches: before }, 'accept');
  yield make('statements of after, files of before', { patches: after }, MISMATCH);
}

const SUMS = ['ERR_SUMS_MISMATCH'];

/** A cache has another file of the name of the list. */
function* cachedLists(): Generator<Case> {
  const patches = [...variant(base, next), withoutOther];
  const file = namedIn({ base, patches: variant(base, next) });
  const why = 'A cache has other bytes for the named list, or none.';
  const make = topic('client', 'again', { rule: 'named-list', base, why, patches, now: LATER });
  const others = { 'another list': oldFile('issuers.json'), 'no list': { status: 404 } } as const;
  for (const [name, other] of Object.entries(others)) {
    for (const count of [1, 2])
      yield make(
        `${name}, ${count} times`,
        { script: { [file]: [...Array(count).fill(other), null] } },
        'accept',
      );
    yield make(`${name}, always`, { script: { [file]: [other] } }, MISMATCH);
  }
}

/** A cache has an old file of the tree of sums. */
function* caches(role: Role): Generator<Case> {
  const patches = variant(base, (registry) => registry.change('alpha', { tier: 'registered' }).publish());
  const file = 'sums/root';
  const old = oldFile(file);
  const why = 'A cache has an old sums file.';
  const make = topic(role, 'again', { rule: 'sums-caches', base, why, patches, now: LATER });
  for (const count of [1, 2, 3]) {
    const script = { [file]: [...Array(count).fill(old), ...(count < 3 ? [null] : [])] };
    const right: Right = count < 3 ? 'accept' : SUMS;
    yield make(`an old sums file, ${count} times`, { script }, right);
  }
}

const MISMATCH = ['ERR_PUBLICATION_MISMATCH'];

/** Where the named list is, and where it is not. */
export function* placeKit(role: Role): Generator<Case> {
  const { files } = golden(base);
  const placed = topic(role, 'places', { rule: 'named-list', base, why: 'The publication names a list.' });
  const make = (id: string, patches: readonly Patch[], right: Right) => placed(id, { patches }, right);
  const broken = (file: string): Patch => ({ file, at: 5, xor: 1 });
  const removed = (file: string): Patch => ({ file, removed: true });
  const named = textIn(files, NAMED);
  const older = [...files.keys()].filter((path) => path.startsWith('lists/') && path !== NAMED);
  const [old = ''] = older;
  yield make('issuers.json is wrong', [broken('issuers.json')], 'accept');
  yield make('issuers.json is missing', [withoutOther], 'accept');
  yield make('issuers.json is an older list', [{ file: 'issuers.json', text: textIn(files, old) }], 'accept');
  yield make('the named list is missing', [withoutOther, removed(NAMED)], MISMATCH);
  yield make('the named list is wrong', [withoutOther, broken(NAMED)], MISMATCH);
  yield make('both are wrong', [broken('issuers.json'), broken(NAMED)], MISMATCH);
  yield make(
    'the named list is cut short',
    [withoutOther, { file: NAMED, length: named.length - 1 }],
    MISMATCH,
  );
  yield make('the named list is empty', [withoutOther, { file: NAMED, length: 0 }], MISMATCH);
  yield make('the named list is longer', [withoutOther, { file: NAMED, text: `${named}\n` }], MISMATCH);
  const another = [withoutOther, { file: NAMED, text: textIn(files, old) }];
  yield make('an older list under the name', another, MISMATCH);
  yield make('older lists are missing', [withoutOther, ...older.map(removed)], 'accept');
  yield make('the signature is missing', [removed('issuers.sig')], 'accept');
  yield make('the signature is wrong', [broken('issuers.sig')], 'accept');
  yield make('neither list nor signature', [withoutOther, removed('issuers.sig')], 'accept');
}

function* deadlines(role: Role): Generator<Case> {
  const make = topic(role, 'deadline', {
    rule: 'deadlines',
    base,
    why: 'A mirror answers, and the registry does not.',
  });
  const silent = { [STATEMENTS]: [{ never: true }] } as const;
  const steps: Step[] = [
    { now: golden(base).now, sources: [{ ...asItIs, script: silent }, asItIs], right: 'accept' },
  ];
  yield make(`a mirror answers for ${STATEMENTS}`, { steps });
  const why = 'The host never answers for one file.';
  yield make(STATEMENTS, { why, script: silent }, ['ERR_SOURCE_TIMEOUT']);
  if (role !== 'client') return;
  const list = { patches: [withoutOther], script: { [NAMED]: [{ never: true }] } } as const;
  yield make('the named list', { why, ...list }, ['ERR_SOURCE_TIMEOUT']);
}
