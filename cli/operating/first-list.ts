import type { RootKey } from '@passport-registry/verifier';
import { AlreadyPublished } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import type { MirrorStatus } from '../../observers/mirroring/status.js';
import { askHosts, HOSTS_TIMEOUT_MS } from './ask-hosts.js';
import { findTrace } from './published-before.js';

/** Where a registry may show that it has published. */
export interface FirstListOptions {
  /** base_url and the mirrors of registry.yaml. */
  readonly hosts?: readonly string[] | undefined;
  /** The file of the delegation that is published with the list. */
  readonly delegation?: string | undefined;
}

/**
 * Returns the question that a build asks before a first list: has the registry published before under this root key, as its
 * folder or a host shows? A first list would start the registry over, and every verifier that knows the published list would
 * refuse it.
 */
export function notPublishedBefore(
  { env }: { readonly env: NodeJS.ProcessEnv },
  { hosts = [], delegation }: FirstListOptions,
): (rootKey: RootKey) => Promise<string | undefined> {
  return async (rootKey) => {
    const given = delegation && readText(delegation).trim();
    const trace = await findTrace({ rootKey, delegation: given, env });
    if (trace !== undefined) {
      throw new AlreadyPublished(
        `there is no published tree, but ${trace.what}, and a first list would start the registry over: load the published tree first, with ` +
          `the command that \`status\` shows. If this registry has never published, ${trace.otherwise}`,
      );
    }
    if (hosts.length === 0) return undefined;
    const signal = AbortSignal.timeout(HOSTS_TIMEOUT_MS);
    const found = await askHosts(hosts, { rootKey, own: undefined, now: Date.now(), signal });
    const served = found.find((host) => isOf(host, rootKey.thumbprint));
    if (served === undefined) return found.map(answerOf).join(' ');
    throw new AlreadyPublished(
      `${served.url} serves a list of this root key, and a first list would start the registry over: load the published tree ` +
        'first, with the command that `status` shows',
    );
  };
}

/** Whether a host serves a list of a root key or of a later one, damaged or not. */
function isOf({ updatedAt, empty, claimed }: MirrorStatus, rootKey: string): boolean {
  return updatedAt !== undefined || (empty !== true && claimed?.rootKey === rootKey);
}

function answerOf({ url, state, empty, problem }: MirrorStatus): string {
  if (empty === true) return `${url} serves no list.`;
  if (state === 'unreachable') return `${url} does not show whether it serves a list: ${problem}.`;
  return `${url} serves no list of this root key: ${problem}.`;
}
