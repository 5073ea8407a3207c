import {
  type AboutIssuer,
  type AnchoredLookupOptions,
  aboutOf,
  assertTrustPolicy,
  createIssuerLookup,
  type Decision,
  type Issuer,
  openRegistry,
  type Registry,
  RegistryError,
  type RegistryFiles,
  type TrustPolicy,
} from '@passport-registry/verifier';
import { COSIGNATURE_AGE_MS, readStatementsFile, verifyAbout } from '@passport-registry/verifier/core';
import { patientFetch } from '@passport-registry/verifier/http';
import type { Command } from 'commander';
import { didYouMean } from '../../generator/diagnostics/messages.js';
import { TreeRejected, UsageError } from '../../generator/errors.js';
import { readPublicationStatement } from '../../generator/freshness/statements.js';
import { PATHS } from '../../generator/tree/paths.js';
import { unreachableSources } from '../../generator/verification/network-failure.js';
import { type PinnedTrust, trustAnchorOf } from '../../generator/verification/pinned-trust.js';
import { folderSource, registryFiles } from '../../generator/verification/tree-source.js';
import { JSON_OPTION } from '../options/common-options.js';
import { loadTrust, readPolicy, TRUST_OPTION, trustFile, type WithTrust } from '../options/trust-option.js';
import { isAddress, isFolder } from '../options/values.js';
import { emit, type Io, type Output, reportOutput, writeLine } from '../terminal/io.js';
import { resolveAt } from './resolve-at.js';

interface Options extends WithTrust {
  tiers?: string;
  domains?: string;
  policy?: string;
  at?: string;
  json?: true;
}

/** `passport-registry resolve` */
export function declareResolve(command: Command, io: Io) {
  command
    .argument('<id>', 'issuer_id')
    .argument(
      '[dir|url...]',
      'registry and its mirrors, in order, or one folder (default: the sources of the trust anchor, or dist)',
    )
    .option('--tiers <names>', 'accept issuers of these tiers, separated by commas')
    .option('--domains <names>', 'with --tiers: only issuers that declare one of these')
    .option('--policy <file>', 'trust policy, as JSON, instead of --tiers and --domains')
    .addOption(TRUST_OPTION)
    .option('--at <time>', 'show what the registry said at this time, RFC 3339, by its log')
    .addOption(JSON_OPTION);
  return (id: string, sources: readonly string[], options: Options) => resolve(io, { id, sources }, options);
}

async function resolve(
  io: Io,
  { id, sources: named }: { readonly id: string; readonly sources: readonly string[] },
  options: Options,
): Promise<number> {
  const policy = policyOf(options);
  const file = trustFile(options);
  if (file === undefined) {
    throw new UsageError(
      'resolve needs --trust-anchor, the file that `pin` writes, or root_key in registry.yaml',
      {
        see: 'docs/verifiers.md#on-the-command-line',
      },
    );
  }
  const trust = await loadTrust(io, file);
  const ofTrust = trust.sources.length > 0 ? trust.sources : ['dist'];
  const sources = named.length > 0 ? named : ofTrust;
  const { at, json } = options;
  if (at !== undefined) return resolveAt(io, id, { at, json, policy, trust, sources });
  if (policy === undefined)
    throw new UsageError('resolve decides under a policy: pass --tiers or --policy; or --at');
  return withRegistryErrors(async () => {
    const answer = await ask(id, policy, { trust, sources });
    const { decision, updatedAt, about, hint } = answer;
    if (options.json) emit(io, { ...decision, updatedAt, about: about ?? null });
    const output = reportOutput(io, options.json);
    writeDecision(output, id, answer);
    if (hint !== undefined) writeLine(output, `    ${hint}`);
    return decision.accepted ? 0 : 1;
  });
}

async function withRegistryErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    throw unreachableSources(error) ?? new TreeRejected(`${error.code}: ${error.message}`, { cause: error });
  }
}

/** The decision about an issuer. */
interface Answer {
  readonly decision: Decision;
  readonly updatedAt: string;
  /** The name and the reason, for people. Undefined if they are not known. */
  readonly about: AboutIssuer | undefined;
  /** For people: a known id that is similar to an unknown one. */
  readonly hint?: string | undefined;
}

/** Who is asked, and what is trusted of them. */
interface Sources {
  readonly trust: PinnedTrust;
  readonly sources: readonly string[];
}

/** How long ago the checkpoint of a folder may have been signed: what clients demand of cosignatures, too. */
const COPY_AGE_SECONDS = COSIGNATURE_AGE_MS / 1000;

async function ask(id: string, policy: TrustPolicy, { trust: pinned, sources }: Sources): Promise<Answer> {
  const trust = { trustAnchor: trustAnchorOf(pinned) };
  const [first = ''] = sources;
  if (sources.length === 1 && isFolder(first)) {
    const files = registryFiles(folderSource(first));
    const registry = await openRegistry(files, { ...trust, maxAge: COPY_AGE_SECONDS });
    const known = registry.list().map(({ issuer_id }) => issuer_id);
    return {
      about: await aboutIn(files, registry, id),
      decision: registry.decide(id, policy),
      updatedAt: registry.updatedAt,
      // An unknown id may be misspelt. The hint is only for people; the decision is about the given id.
      hint: registry.resolve(id) === undefined ? didYouMean(id, known) : undefined,
    };
  }
  const invalid = sources.find((one) => !isAddress(one));
  if (invalid !== undefined)
    throw new UsageError(
      `${invalid} is neither a folder nor an http(s) URL; if it is an issuer, give one issuer at a time`,
    );
  return lookUp(id, policy, { sources, fetch: patientFetch(), ...trust });
}

/** Returns the name and the reason in a folder whose statement was verified. Undefined if they are not known. */
async function aboutIn(
  files: RegistryFiles,
  registry: Registry,
  id: string,
): Promise<AboutIssuer | undefined> {
  const { publication } = await readStatementsFile(files);
  const statement = readPublicationStatement(publication);
  if (statement.sha256 !== registry.sha256) return undefined;
  const about = await verifyAbout(await files.get(PATHS.about), statement);
  return about && (about.get(id) ?? {});
}

/** Looks up one issuer without the list. */
async function lookUp(id: string, policy: TrustPolicy, options: AnchoredLookupOptions): Promise<Answer> {
  const lookup = createIssuerLookup(options);
  try {
    await lookup.ready();
    const { registry, ...decision } = await lookup.decide(id, policy);
    const about = decision.issuer && (await aboutOf(lookup, id));
    return { decision, updatedAt: registry?.updatedAt ?? lookup.updatedAt, about };
  } finally {
    lookup.close();
  }
}

/** Returns the policy of the options. Undefined if they name none. @throws {@link UsageError} */
function policyOf({ tiers, domains, policy }: Options): TrustPolicy | undefined {
  if (policy !== undefined) return readPolicy(policy);
  if (tiers === undefined) return undefined;
  const wanted: unknown = {
    tiers: tiers.split(','),
    ...(domains !== undefined && { domains: domains.split(',') }),
  };
  try {
    assertTrustPolicy(wanted);
    return wanted;
  } catch (cause) {
    throw new UsageError(`--tiers and --domains: ${(cause as Error).message}`, { cause });
  }
}

/** Prints the name and the reason in quotes, because a publisher may choose words that look like others of this output. */
function writeAbout(output: Output, { status }: Issuer, about: AboutIssuer | undefined): void {
  const worded = (text: string | undefined) => {
    if (about === undefined) return 'not known';
    return text === undefined ? 'none' : JSON.stringify(text);
  };
  writeLine(output, `    name: ${worded(about?.name)}`);
  if (status !== 'active') writeLine(output, `    reason: ${worded(about?.status_reason)}`);
}

function writeDecision(output: Output, id: string, { decision, updatedAt, about }: Answer): void {
  const { accepted, reasons, issuer } = decision;
  writeLine(output, `${id} is ${accepted ? 'accepted' : 'REJECTED'} by the list of ${updatedAt}`);
  if (issuer !== undefined) writeAbout(output, issuer, about);
  for (const { code, message } of reasons) writeLine(output, `    ${code}: ${message}`);
}
