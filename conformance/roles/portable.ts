import {
  createPassportVerifier,
  memoryReplayStore,
  type PassportVerifier,
  type TokenProfile,
} from '@passport-registry/passports';
import { requirePassport } from '@passport-registry/passports/fetch';
import {
  createIssuerLookup,
  createRegistryClient,
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
} from '@passport-registry/verifier';
import { parseStrictJson } from '@passport-registry/verifier/core';
import { type PassportRequest, type Profile, ROLES, type Role } from '../cases/case.js';

// Our verifiers of the roles that need Web APIs alone, so that they run wherever the libraries do.

/** A message of the runner. */
export interface Message {
  readonly id: number;
  readonly protocol?: number;
  readonly role?: Role;
  readonly step: number;
  readonly now: number;
  readonly restart?: true | 'cut';
  readonly anchor: string;
  readonly folder: string;
  /** In place of a folder, where there are none: the files by path, each as a text with a character for each byte. */
  readonly files?: Readonly<Record<string, string>>;
  readonly sources: readonly string[];
  readonly deadline: number;
  readonly passport: PassportRequest;
  readonly ask?: readonly string[];
  readonly policy?: TrustPolicy;
}

export interface Answer {
  readonly verdict: 'accept' | 'refuse';
  readonly code?: string | readonly string[];
  readonly trusted?: readonly string[];
  /** What is held, for comparisons: the runner only writes it down. */
  readonly more?: object;
}

const DAYS_30_SECONDS = 30 * 86_400;
/** A client asks only when the runner says so. */
const NEVER_SECONDS = 100_000_000;
export const ANY: TrustPolicy = { tiers: ['founding', 'certified', 'registered', 'sandbox'] };
/** Nobody needs pauses before another attempt on this machine. Deadlines are longer, and stay. */
const LONGEST_PAUSE_MS = 600;
/** The clock of `fetch` itself. It stays, too. */
const FETCH_TICK_MS = 499;

let now = 0;
const clock = () => now;

/** Answers the messages of a role, and remembers what it must from step to step. */
export type Verifier = (message: Message) => Promise<Answer>;

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

class AnchorMalformed extends Error {}

export function anchorOf(text: string): TrustAnchor {
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
      await new Promise((saved) => setTimeout(saved));
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

/** The files of a folder, for a role that is shown one. */
export type FilesOf = (message: Message) => RegistryFiles;

/** The files of a message that has them itself. */
const filesInMessage: FilesOf = ({ files = {} }) => ({
  get: async (path) => {
    const text = files[path];
    return text === undefined ? undefined : Uint8Array.from(text, (character) => character.charCodeAt(0));
  },
});

const opened = (message: Message, filesOf: FilesOf) =>
  openRegistry(filesOf(message), {
    ...{ trustAnchor: anchorOf(message.anchor), maxAge: DAYS_30_SECONDS, now: clock },
  });

const log =
  (filesOf: FilesOf): Verifier =>
  async (message) => ({ verdict: 'accept', more: factsOf(await opened(message, filesOf)) });

function passport(filesOf: FilesOf): Verifier {
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
          registry: await opened(message, filesOf),
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

/** Starts a verifier for each role of a program. */
export type Roles = Readonly<Partial<Record<Role, () => Verifier>>>;

/** The roles that run everywhere. Two of them read the files of a folder. */
export const portableRoles = (filesOf: FilesOf): Roles => ({
  ...{ client, lookup, log: () => log(filesOf), passport: () => passport(filesOf) },
});

type CodedError = abstract new (...args: never[]) => Error & { readonly code: string };

/** Answers the messages of the runner. */
export class Answerer {
  readonly #start: Roles;
  readonly #errors: readonly CodedError[];
  readonly #leave = withoutPauses();
  #verifier: Verifier = async () => ({ verdict: 'refuse' });

  /** @param errors - whose codes are answers. Any other error is a fault */
  constructor(start: Roles, errors: readonly CodedError[] = [RegistryError]) {
    this.#start = start;
    this.#errors = errors;
  }

  /** @throws a fault of the program */
  async ask(message: { readonly id: number }): Promise<Record<string, unknown>> {
    const { id, protocol, role = 'list', ...rest } = message as Message;
    if (protocol === undefined) return { id, ...(await this.#answer({ id, role, ...rest })) };
    this.#verifier = this.#start[role]?.() ?? this.#verifier;
    const roles = ROLES.filter((name) => name in this.#start);
    return { id, protocol: 1, name: 'passport-registry', roles, algorithms: ['Ed25519', 'ES256'] };
  }

  end(): void {
    this.#leave();
  }

  async #answer(message: Message): Promise<Answer> {
    try {
      now = message.now;
      return await this.#verifier(message);
    } catch (error) {
      if (error instanceof AnchorMalformed) return { verdict: 'refuse', code: 'ERR_TRUST_ANCHOR_INVALID' };
      const code = this.#codesOf(error);
      if (code.length === 0) throw error;
      return { verdict: 'refuse', code };
    }
  }

  /** The codes of an error: of a client, those of its sources; of a command, also that of the cause. */
  #codesOf(error: unknown): readonly string[] {
    if (error instanceof NoUsableSource)
      return Object.values(error.errors).flatMap((one) => this.#codesOf(one));
    if (!this.#errors.some((type) => error instanceof type)) return [];
    const { code, cause } = error as Error & { readonly code: string };
    return [code, ...this.#codesOf(cause)];
  }
}

/** Starts the verifiers where messages have their files with them. */
export const startPortable = (): Answerer => new Answerer(portableRoles(filesInMessage));

/** The longest work that goes on after an answer: the deadlines of a source. */
const WORK_AFTER_ANSWER_MS = 5000;

let worker: Answerer | undefined;

/** The same as a worker: each request is a message, and its response the answer. */
export default {
  async fetch(request: Request, _settings: unknown, context: { waitUntil(work: Promise<unknown>): void }) {
    worker ??= startPortable();
    // Otherwise what a client does in the background would stop with the response, and never end.
    context.waitUntil(new Promise((end) => setTimeout(end, WORK_AFTER_ANSWER_MS)));
    try {
      return Response.json(await worker.ask(await request.json()));
    } catch (fault) {
      return new Response(String(fault), { status: 500 });
    }
  },
};
