import type { RootKey } from '@passport-registry/verifier';
import { AlreadyPublished } from '../../generator/errors.js';
import type { RegistryFile } from '../../generator/generated/settings.js';
import type { HostStatus } from '../../observers/hosts/compare-hosts.js';
import { askHosts, HOSTS_TIMEOUT_MS } from './ask-hosts.js';
import { findTrace } from './published-before.js';

/** Whom a build asks if no host tells. */
export interface Asking {
  readonly env: NodeJS.ProcessEnv;
  /** Asks the operator whether the registry is new. Throws {@link AlreadyPublished} unless it is. */
  readonly confirmNew: (doubt: string) => Promise<void>;
}

/**
 * Asserts that the registry has not published before under this root key, as its folder or a host shows: a first list would
 * start the registry over, and every verifier that knows the published list would refuse it.
 *
 * @returns what the hosts answered. Undefined if there is no host to ask
 * @throws {@link AlreadyPublished}
 */
export async function assertNotPublished(
  { base_url: baseUrl, mirrors = [] }: Pick<RegistryFile, 'base_url' | 'mirrors'>,
  rootKey: RootKey,
  { env, confirmNew }: Asking,
): Promise<string | undefined> {
  const trace = await findTrace({ rootKey, env });
  const startOver =
    'and a first list would start the registry over: load the published tree first, with the command that `status` shows';
  if (trace !== undefined)
    throw new AlreadyPublished(
      `there is no published tree, but ${trace.what}, ${startOver}. If this registry has never published, ${trace.otherwise}`,
    );
  const hosts = baseUrl === undefined ? mirrors : [baseUrl, ...mirrors];
  const signal = AbortSignal.timeout(HOSTS_TIMEOUT_MS);
  const found = await askHosts(hosts, { rootKey, folder: undefined, now: Date.now(), signal });
  const served = found.find((host) => isOf(host, rootKey.thumbprint));
  if (served !== undefined)
    throw new AlreadyPublished(`${served.url} serves a list of this root key, ${startOver}`);
  const [live] = found;
  // A deleted tree looks like a new registry, so no answer is no permission. Somebody has published a list of another key.
  const doubtful = found.filter(
    (host) => isOfOther(host) || (baseUrl !== undefined && host === live && !isAnswer(host)),
  );
  if (doubtful.length > 0) {
    const start = doubtful.some(isOfOther)
      ? 'If that list is of this registry, its verifiers refuse this key, to which no rotation leads: find that key first.'
      : 'If this registry has published, a first list would start it over: load the published tree first, as `status` shows.';
    await confirmNew(`${doubtful.map(answerOf).join(' ')} ${start}`);
  }
  const said = found.filter((host) => !doubtful.includes(host));
  return said.length === 0 ? undefined : said.map(answerOf).join(' ');
}

/** Whether a host tells that nothing was published there: it has no list, or a preview. */
function isAnswer({ empty, claimed }: HostStatus): boolean {
  return empty === true || (claimed?.rootKey !== undefined && claimed.development);
}

/** Whether a host serves a list of another root key which is no preview. The registry may have lost the key that it had. */
function isOfOther({ empty, claimed }: HostStatus): boolean {
  return empty !== true && claimed?.rootKey !== undefined && !claimed.development;
}

/** Whether a host serves a list of a root key or of a later one, damaged or not. */
export function isOf({ updatedAt, empty, claimed }: HostStatus, rootKey: string): boolean {
  return updatedAt !== undefined || (empty !== true && claimed?.rootKey === rootKey);
}

function answerOf(host: HostStatus): string {
  const { url, state, empty, problem, claimed } = host;
  if (isOfOther(host)) return `${url} serves a list of another root key, ${claimed?.rootKey}.`;
  if (empty === true) return `${url} serves no list.`;
  if (state === 'unreachable') return `${url} does not show whether it serves a list: ${problem}.`;
  return `${url} serves no list of this root key: ${problem}.`;
}
