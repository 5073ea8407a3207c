import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  createPassportVerifier,
  memoryReplayStore,
  type PassportVerifier,
  type TokenProfile,
} from '@passport-registry/passports';
import { requirePassport } from '@passport-registry/passports/fetch';
import {
  assertTrustAnchor,
  createIssuerLookup,
  createRegistryClient,
  decide,
  NoUsableSource,
  openRegistry,
  type Registry,
  type RegistryClient,
  RegistryError,
  type RegistryEvent,
  type RegistryFiles,
  type RegistryStore,
  type StoredPublication,
  type TrustAnchor,
  type TrustPolicy,
  verifyList,
} from '@passport-registry/verifier';
import { importAnchorRoot, limitOf, parseStrictJson } from '@passport-registry/verifier/core';
import { GeneratorError } from '../generator/errors.js';
import { type PinnedTrust, pinnedAnchor } from '../generator/verification/pinned-trust.js';
import { folderSource } from '../generator/verification/tree-source.js';
import { verifyTree } from '../generator/verification/verify.js';
import { type PassportRequest, type Profile, ROLES, type Role } from './cases/case.js';
import { mirrorFolder } from './roles/mirror.js';
import { PageReader } from './roles/page.js';
import { type Program, ProgramFault } from './runner/program.js';

/**
 * The verifiers of this project, for the runner: in its process, or as a program of its own.
 *
 *     node build/conformance/ours.js          # all six roles
 *     node build/conformance/ours.js mirror   # the mirror, in place of an auditor
 *     node build/conformance/ours.js page     # the page in Chromium, in place of a client
 */

/** A message of the runner. */
interface Message {
  readonly id: number;
  readonly protocol?: number;
  readonly role?: Role;
  readonly step: number;
  readonly now: number;
  readonly restart?: true | 'cut';
  readonly anchor: string;
  readonly folder: string;
  readonly sources: readonly string[];
  readonly deadline: number;
  readonly passport: PassportRequest;
  readonly ask?: readonly string[];
  readonly policy?: TrustPolicy;
}

interface Answer {
  readonly verdict: 'accept' | 'refuse';
  readonly code?: string | readonly string[];
  readonly trusted?: readonly string[];
  /** What is held, for comparisons: the runner only writes it down. */
  readonly more?: object;
}

const DAYS_30_SECONDS = 30 * 86_400;
/** A client asks only when the runner says so. */
const NEVER_SECONDS = 100_000_000;
const ANY: TrustPolicy = { tiers: ['founding', 'certified', 'registered', 'sandbox'] };
/** Nobody needs pauses before another attempt on this machine. Deadlines are longer, and stay. */
const LONGEST_PAUSE_MS = 600;
/** The clock of `fetch` itself. It stays, too. */
const FETCH_TICK_MS = 499;

let now = 0;
const clock = () => now;

/** @returns a function that brings the pauses back */
function withoutPauses(): () => void {
  const { setTimeout } = globalThis;
  const quick = (work: () => void, ms = 0, ...rest: []) =>
    setTimeout(work, ms <= LONGEST_PAUSE_MS && ms !== FETCH_TICK_MS ? 0 : ms, ...rest);
  globalThis.setTimeout = Object.defineProperties(
    quick,
    Object.getOwnPropertyDescriptors(setTimeout),
  ) as never;
  return () => {
    globalThis.setTimeout = setTimeout;
  };
}

/** Answers the messages of a role, and remembers what it must from step to step. */
type Verifier = (message: Message) => Promise<Answer>;

function readLimited(folder: string, path: string): Uint8Array {
  const bytes = readFileSync(join(folder, path));
  if (bytes.length > limitOf(path)) throw new RegistryError('ERR_SOURCE_TOO_LARGE', `${path} is too large`);
  return bytes;
}

async function list({ anchor, folder, ask = [], policy = ANY }: Message): Promise<Answer> {
  const trusted: unknown = anchorOf(anchor);
  assertTrustAnchor(trusted);
  const rootKey = await importAnchorRoot(trusted);
  const signature = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const [bytes, sig] = ['issuers.json', 'issuers.sig'].map((path) => readLimited(folder, path));
  let text = '';
  try {
    text = signature.decode(sig);
  } catch {
    return { verdict: 'refuse', code: 'ERR_SIGNATURE_MALFORMED' };
  }
  const { registry } = await verifyList({ list: bytes as Uint8Array, signature: text, rootKey });
  const records = new Map(registry.issuers.map((one) => [one.issuer_id, one]));
  return { verdict: 'accept', trusted: ask.filter((id) => decide(records.get(id), policy, now).accepted) };
}

class AnchorMalformed extends Error {}

function anchorOf(text: string): TrustAnchor {
  try {
    return parseStrictJson(text) as TrustAnchor;
  } catch (cause) {
    throw new AnchorMalformed('the trust anchor is no strict JSON', { cause });
  }
}

const clientOptions = ({ anchor, sources, deadline }: Message, { store, onEvent }: LateDisk) => ({
  ...{ trustAnchor: anchorOf(anchor), sources, timeout: deadline, refreshInterval: NEVER_SECONDS },
  ...{ now: clock, store, onEvent },
});

/**
 * A disk that is as late as a disk can be: what is saved is on it some time after the client has decided. A client that
 * begins anew finds what was on the disk at its last answer, as if it had been killed then.
 */
class LateDisk {
  #content: StoredPublication | undefined;
  #decide: () => void = () => undefined;
  #decided = Promise.resolve();

  constructor(content?: StoredPublication) {
    this.#content = content;
  }

  get content(): StoredPublication | undefined {
    return this.#content;
  }

  /** Waits for the next decision. */
  begin(): void {
    this.#decided = new Promise((decide) => {
      this.#decide = decide;
    });
  }

  readonly onEvent = ({ type }: RegistryEvent): void => {
    if (type === 'accepted' || type === 'unchanged' || type === 'refresh-failed') this.#decide();
  };

  readonly store: RegistryStore = {
    load: async () => this.#content,
    save: async (publication) => {
      await this.#decided;
      await setImmediate();
      this.#content = publication;
    },
  };
}

/** Loses the second half of each part of what was stored. */
const cut = ({ statements, list, ...stored }: StoredPublication): StoredPublication => ({
  ...stored,
  statements: firstHalf(statements),
  ...(list !== undefined && { list: firstHalf(list) }),
});

const firstHalf = (text: string) => text.slice(0, text.length >> 1);

/** What a client and a look-up have in common: when they are made anew, and what is on their disk then. */
function remembering<T extends { refresh(): Promise<void>; close(): void }>(
  create: (options: ReturnType<typeof clientOptions>) => T,
  answer: (held: T, message: Message) => Promise<Answer>,
): Verifier {
  let first: Message | undefined;
  let held: T | undefined;
  let disk = new LateDisk();
  let atAnswer: StoredPublication | undefined;
  return async (message) => {
    if (message.step === 0) first = message;
    if (message.step === 0 || message.restart || held === undefined) {
      held?.close();
      held = undefined;
      const kept = message.restart === 'cut' && atAnswer ? cut(atAnswer) : atAnswer;
      disk = new LateDisk(message.step === 0 ? undefined : kept);
      held = create(clientOptions(first as Message, disk));
    }
    try {
      disk.begin();
      // Without a source, the client answers from what it holds.
      if (message.sources.length > 0) await held.refresh();
      return await answer(held, message);
    } finally {
      atAnswer = disk.content;
    }
  };
}

const client = () =>
  remembering(createRegistryClient, async (held, message) => ({
    verdict: 'accept',
    trusted: trustedBy(held, message),
    more: { ...factsOf(held), fresh: freshnessOf(held) },
  }));

const factsOf = ({ sha256, hold, ...registry }: Registry) => ({
  list: sha256,
  hold,
  issuers: registry.list().length,
});

const freshnessOf = (held: Pick<RegistryClient, 'status'>) => held.status().freshUntil?.getTime();

const trustedBy = (registry: Registry, { ask = [], policy = ANY }: Message) =>
  ask.filter((id) => registry.decide(id, policy).accepted);

/** A look-up accepts a step if it proves each issuer that it is asked for. */
const lookup = () =>
  remembering(createIssuerLookup, async (held, { ask = [], policy = ANY }) => {
    const trusted: string[] = [];
    for (const id of ask) if ((await held.decide(id, policy)).accepted) trusted.push(id);
    return {
      verdict: 'accept',
      trusted,
      more: { list: held.sha256, hold: held.hold, fresh: freshnessOf(held) },
    };
  });

/** Pins the trust anchor of a case, as `--trust-anchor` does. */
function pinnedTrust(text: string): Promise<PinnedTrust> {
  const trusted: unknown = anchorOf(text);
  assertTrustAnchor(trusted);
  return pinnedAnchor(trusted);
}

async function auditor({ anchor, folder }: Message): Promise<Answer> {
  const trust = await pinnedTrust(anchor);
  const report = await verifyTree(folderSource(folder), trust.rootKey, {
    ...{ ...trust, now: clock },
  });
  if (report.ok) return { verdict: 'accept' };
  return { verdict: 'refuse', code: report.checks.flatMap(({ code }) => code ?? []) };
}

/** The files of a copy. The verifier itself enforces their limits. */
const copyIn = (folder: string): RegistryFiles => ({
  get: async (path) => {
    const file = join(folder, path);
    return existsSync(file) ? readFileSync(file) : undefined;
  },
});

const opened = ({ anchor, folder }: Message) =>
  openRegistry(copyIn(folder), {
    ...{ trustAnchor: anchorOf(anchor), maxAge: DAYS_30_SECONDS, now: clock },
  });

async function log(message: Message): Promise<Answer> {
  return { verdict: 'accept', more: factsOf(await opened(message)) };
}

function passport(): Verifier {
  let verifier: PassportVerifier | undefined;
  let documents: PassportRequest['documents'] = {};
  const answer = async (input: unknown) => {
    const { status, body } = documents[String(input)] ?? { status: 404, body: '' };
    return new Response(body, { status });
  };
  return async (message) => {
    const { audience, token, action, request, profile, payload = '{}', proof = '' } = message.passport;
    documents = message.passport.documents;
    if (message.step === 0) {
      verifier = createPassportVerifier({
        ...{
          registry: await opened(message),
          policy: message.policy ?? ANY,
          audience,
          fetch: answer as typeof fetch,
          ...(profile && { tokenProfiles: { kit: profileOf(profile) } }),
        },
        ...{ now: clock, cooldown: 0, statusMaxAge: 0, replayStore: memoryReplayStore({ now: clock }) },
      });
    }
    const held = verifier as PassportVerifier;
    if (request !== undefined) return requested(held, message.passport);
    const verdict =
      profile !== undefined
        ? await held.verifyToken(token, 'kit')
        : action === undefined
          ? await held.verifyPassport(token)
          : await held.verifyAction({ token, action, payload: JSON.parse(payload), proof });
    const isGood = 'accepted' in verdict ? verdict.accepted : verdict.allowed;
    return isGood
      ? { verdict: 'accept' }
      : { verdict: 'refuse', code: verdict.reasons.map(({ code }) => code) };
  };
}

const profileOf = ({ typ, max_age, algorithms, required_claims }: Profile): TokenProfile => ({
  type: typ,
  ...(max_age !== undefined && { maxAge: max_age }),
  ...(algorithms && { algorithms: algorithms as readonly ('Ed25519' | 'ES256')[] }),
  ...(required_claims && { requiredClaims: required_claims }),
});

/** Shows a request to the middleware. */
async function requested(verifier: PassportVerifier, passport: PassportRequest): Promise<Answer> {
  const { audience, token, action = '', proof = '', request } = passport;
  const headers = { authorization: `Bearer ${token}`, 'action-proof': proof };
  const { target = '/', body } = request ?? {};
  const sent = new Request(`${audience}${target}`, { headers, ...(body && { method: 'POST', body }) });
  const response = await requirePassport({ verifier, action }, () => new Response('admitted'))(sent);
  if (response.ok) return { verdict: 'accept' };
  return { verdict: 'refuse', code: ((await response.json()) as { error: string }).error };
}

const START: Readonly<Record<Role, () => Verifier>> = {
  ...{ list: () => list, client, lookup, auditor: () => auditor, log: () => log, passport },
};

/** Mirrors a tree: it accepts what it would serve. */
async function mirror({ anchor, folder, now }: Message): Promise<Answer> {
  await mirrorFolder(folder, await pinnedTrust(anchor), now);
  return { verdict: 'accept' };
}

/** The codes of an error: of a client, those of its sources; of a command, also that of the cause. None: it is a fault of the program. */
function codesOf(error: unknown): readonly string[] {
  if (error instanceof NoUsableSource) return Object.values(error.errors).flatMap(codesOf);
  if (!(error instanceof RegistryError || error instanceof GeneratorError)) return [];
  return [error.code, ...codesOf(error.cause)];
}

/** A program for the runner, of some roles. */
class Ours implements Program {
  readonly #start: Readonly<Partial<Record<Role, () => Verifier>>>;
  readonly #leave = withoutPauses();
  readonly #close: () => void;
  #verifier: Verifier = async () => ({ verdict: 'refuse' });

  constructor(start: Readonly<Partial<Record<Role, () => Verifier>>>, close: () => void = () => undefined) {
    this.#start = start;
    this.#close = close;
  }

  async ask(message: { readonly id: number }): Promise<Record<string, unknown>> {
    const { id, protocol, role = 'list', ...rest } = message as Message;
    if (protocol === undefined) return { id, ...(await this.#answer({ id, role, ...rest })) };
    this.#verifier = this.#start[role]?.() ?? this.#verifier;
    const roles = ROLES.filter((name) => name in this.#start);
    return { id, protocol: 1, name: 'passport-registry', roles, algorithms: ['Ed25519', 'ES256'] };
  }

  assertSilent(): void {}

  end(): void {
    this.#leave();
    this.#close();
  }

  async #answer(message: Message): Promise<Answer> {
    try {
      now = message.now;
      return await this.#verifier(message);
    } catch (error) {
      if (error instanceof AnchorMalformed) return { verdict: 'refuse', code: 'ERR_TRUST_ANCHOR_INVALID' };
      const code = codesOf(error);
      // An error that is not one of the documented ones is a fault of the program.
      if (code.length === 0) throw new ProgramFault(`has ended with ${error}`);
      return { verdict: 'refuse', code };
    }
  }
}

/** Starts our verifiers in this process. */
export const startOurs = (): Program => new Ours(START);

/** Starts the mirror in place of an auditor. */
export const startMirror = (): Program => new Ours({ auditor: () => mirror });

/**
 * Starts the page in Chromium in place of a client. It remembers nothing from step to step.
 *
 * @param open - opens a Chromium in place of a new one
 */
export function startPage(open?: ConstructorParameters<typeof PageReader>[0]): Program {
  const page = new PageReader(open);
  const client: Verifier = async ({ anchor, sources: [source = ''], now }) => {
    const code = await page.read({ anchor: anchorOf(anchor), source, now });
    return code === undefined ? { verdict: 'accept' } : { verdict: 'refuse', code };
  };
  return new Ours({ client: () => client }, () => void page.close());
}

const PROGRAMS: Readonly<Record<string, () => Program>> = {
  '': startOurs,
  mirror: startMirror,
  page: startPage,
};

async function serve(name: string): Promise<void> {
  const program = PROGRAMS[name]?.();
  if (program === undefined) throw new Error(`there is no program ${name}`);
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await program.ask(JSON.parse(line) as Message, 0);
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  program.end();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve(process.argv[2] ?? '');
