import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  assertTrustAnchor,
  createIssuerLookup,
  createPassportVerifier,
  createRegistryClient,
  decide,
  memoryReplayStore,
  memoryStore,
  openRegistry,
  type PassportVerifier,
  type Registry,
  RegistryError,
  type TrustAnchor,
  type TrustPolicy,
  verifyList,
} from '@passport-registry/verifier';
import { importAnchorRoot, limitOf, parseStrictJson } from '@passport-registry/verifier/core';
import { verifyHistoryProof } from '@passport-registry/verifier/history';
import { demandsOf } from '../generator/verification/pinned-trust.js';
import { folderSource, registryFiles } from '../generator/verification/tree-source.js';
import { verifyTree } from '../generator/verification/verify.js';
import { KIT_ROLES, type KitRole, type PassportRequest } from './kit/kit-case.js';
import { pinnedTrust } from './roles/pinned.js';
import { codeOf, verdictOf } from './roles/verdict.js';

/** `node build/conformance/ours.js`: the verifiers of this project, as a program for the runner (README.md, "The runner"). */

/** A message of the runner. */
interface Message {
  readonly id: number;
  readonly protocol?: number;
  readonly role?: KitRole;
  readonly step: number;
  readonly now: number;
  readonly restart?: true;
  readonly anchor: string;
  readonly folder: string;
  readonly sources: readonly string[];
  readonly deadline: number;
  readonly proof?: string;
  readonly passport: PassportRequest;
  readonly ask?: readonly string[];
  readonly policy?: TrustPolicy;
}

interface Answer {
  readonly verdict: 'accept' | 'refuse';
  readonly code?: string | readonly string[];
  readonly trusted?: readonly string[];
}

const DAYS_30_SECONDS = 30 * 86_400;
/** A client asks only when the runner says so. */
const NEVER_SECONDS = 1_000_000;
const ANY: TrustPolicy = { tiers: ['founding', 'certified', 'registered', 'sandbox'] };
/** Nobody needs pauses before another attempt on this machine. Deadlines, and the timers of `fetch` itself, are longer, and stay. */
const LONGEST_PAUSE_MS = 450;

let now = 0;
const clock = () => now;

function withoutPauses(): void {
  const { setTimeout } = globalThis;
  const quick = (work: () => void, ms = 0, ...rest: []) =>
    setTimeout(work, ms < LONGEST_PAUSE_MS ? 0 : ms, ...rest);
  globalThis.setTimeout = Object.defineProperties(
    quick,
    Object.getOwnPropertyDescriptors(setTimeout),
  ) as never;
}

/** What is remembered from step to step. */
type Role = (message: Message) => Promise<Answer>;

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

function clientOptions({ anchor, sources, deadline }: Message) {
  return {
    ...{ trustAnchor: anchorOf(anchor), sources, timeout: deadline, refreshInterval: NEVER_SECONDS },
    ...{ now: clock, store: memoryStore() },
  };
}

function client(): Role {
  let options: ReturnType<typeof clientOptions> | undefined;
  let held: ReturnType<typeof createRegistryClient> | undefined;
  return async (message) => {
    if (message.step === 0) options = clientOptions(message);
    if (message.step === 0 || message.restart) {
      held?.close();
      held = createRegistryClient(options as ReturnType<typeof clientOptions>);
    }
    await held?.refresh();
    return { verdict: 'accept', trusted: trustedBy(held as Registry, message) };
  };
}

const trustedBy = (registry: Registry, { ask = [], policy = ANY }: Message) =>
  ask.filter((id) => registry.decide(id, policy).accepted);

/** A look-up accepts a step if it proves each issuer that it is asked for. */
function lookup(): Role {
  let options: ReturnType<typeof clientOptions> | undefined;
  let held: ReturnType<typeof createIssuerLookup> | undefined;
  return async (message) => {
    if (message.step === 0) options = clientOptions(message);
    if (message.step === 0 || message.restart) {
      held?.close();
      held = createIssuerLookup(options as ReturnType<typeof clientOptions>);
    }
    await held?.refresh();
    const { ask = [], policy = ANY } = message;
    const trusted: string[] = [];
    for (const id of ask) if ((await held?.decide(id, policy))?.accepted) trusted.push(id);
    return { verdict: 'accept', trusted };
  };
}

async function auditor({ anchor, folder }: Message): Promise<Answer> {
  const trust = await pinnedTrust(anchorOf(anchor));
  const report = await verifyTree(folderSource(folder), trust.rootKey, { ...demandsOf(trust), now: clock });
  if (report.ok) return { verdict: 'accept' };
  return { verdict: 'refuse', code: report.checks.flatMap(({ code }) => code ?? []) };
}

const opened = ({ anchor, folder }: Message) =>
  openRegistry(registryFiles(folderSource(folder)), {
    ...{ trustAnchor: anchorOf(anchor), maxAge: DAYS_30_SECONDS, now: clock },
  });

async function log(message: Message): Promise<Answer> {
  if (message.proof === undefined) await opened(message);
  else await verifyHistoryProof(readFileSync(message.proof), { trustAnchor: anchorOf(message.anchor) });
  return { verdict: 'accept' };
}

function passport(): Role {
  let verifier: PassportVerifier | undefined;
  let documents: PassportRequest['documents'] = {};
  const answer = async (input: unknown) => {
    const { status, body } = documents[String(input)] ?? { status: 404, body: '' };
    return new Response(body, { status });
  };
  return async (message) => {
    const { audience, token, action, payload = '{}', proof = '' } = message.passport;
    documents = message.passport.documents;
    if (message.step === 0) {
      verifier = createPassportVerifier({
        ...{
          registry: await opened(message),
          policy: message.policy ?? ANY,
          audience,
          fetch: answer as typeof fetch,
        },
        ...{ now: clock, cooldown: 0, statusMaxAge: 0, replayStore: memoryReplayStore({ now: clock }) },
      });
    }
    const held = verifier as PassportVerifier;
    const verdict =
      action === undefined
        ? await held.verifyPassport(token)
        : await held.verifyAction({ token, action, payload: JSON.parse(payload), proof });
    const isGood = 'accepted' in verdict ? verdict.accepted : verdict.allowed;
    return isGood
      ? { verdict: 'accept' }
      : { verdict: 'refuse', code: verdict.reasons.map(({ code }) => code) };
  };
}

const START: Readonly<Record<KitRole, () => Role>> = {
  ...{ list: () => list, client, lookup, auditor: () => auditor, log: () => log, passport },
};

async function answerTo(message: Message, role: Role): Promise<Answer> {
  try {
    now = message.now;
    return await role(message);
  } catch (error) {
    if (error instanceof AnchorMalformed) return { verdict: 'refuse', code: 'ERR_TRUST_ANCHOR_INVALID' };
    const { verdict } = verdictOf(error);
    // An error that is not one of the documented ones is a fault of the program.
    if (verdict === 'crash') throw error;
    return { verdict: 'refuse', code: codeOf(error).split(/[,:]/) };
  }
}

withoutPauses();
let role: Role = async () => ({ verdict: 'refuse' });
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  let answer: object;
  if (message.protocol === undefined) answer = await answerTo(message, role);
  else {
    role = START[message.role ?? 'list']();
    answer = { protocol: 1, name: 'passport-registry', roles: KIT_ROLES, algorithms: ['Ed25519', 'ES256'] };
  }
  process.stdout.write(`${JSON.stringify({ id: message.id, ...answer })}\n`);
}
