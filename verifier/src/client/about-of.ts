import type { AboutIssuer } from '../core/generated/schemas.js';
import { type AboutIssuers, verifyAbout } from '../core/publication/about-file.js';
import { TREE_FILES } from '../core/tree-files.js';
import type { RegistryClient } from './client.js';
import type { IssuerLookup } from './issuer-lookup.js';
import { type NamingClient, namingClients } from './naming-client.js';

/** The file that a client has asked for, by its hash. */
interface Reading {
  readonly sha256: string;
  readonly about: Promise<AboutIssuers | undefined>;
}

/** What was read last for each client. */
const readings = new WeakMap<NamingClient, Reading>();

/**
 * Returns what people call an issuer, and why it is not active (docs/protocol/publishers.md#about-file). The first call
 * requests the file of all names, compares its hash with the publication statement that the client has accepted, and keeps it
 * until the client accepts one that names another file. The file has less than a megabyte for 10,000 issuers. A failure is no
 * error of a source: no decision depends on a name. Names are not unique, and prove nothing: show them as text, beside the
 * id.
 *
 * @param registry - from `createRegistryClient` or `createIssuerLookup`, once it is ready
 * @returns without `name` or `status_reason` if the issuer has none. Undefined if they are not known, which is not the same:
 *   no source has the file that the statement names. The next call asks again
 * @throws {@link RegistryStale} | `ERR_REGISTRY_NOT_READY` | `ERR_REGISTRY_CLOSED`
 *
 * @example
 * ```ts
 * import { aboutOf, createRegistryClient } from '@passport-registry/verifier';
 *
 * const registry = createRegistryClient({ trustAnchor });
 * await registry.ready();
 * const about = await aboutOf(registry, 'alpha');
 * console.log('alpha', about === undefined ? 'name not known' : (about.name ?? 'no name'));
 * registry.close();
 * ```
 */
export async function aboutOf(
  registry: RegistryClient | IssuerLookup,
  issuerId: string,
): Promise<AboutIssuer | undefined> {
  const client = namingClients.get(registry);
  if (client === undefined) {
    throw new TypeError('aboutOf takes what createRegistryClient or createIssuerLookup returned');
  }
  client.assertOpen();
  const { publication } = client.current();
  if (publication.aboutSha256 === undefined) return {};
  const about = await readingOf(publication.aboutSha256, client).about;
  client.assertOpen();
  return about && (about.get(issuerId) ?? {});
}

function readingOf(sha256: string, client: NamingClient): Reading {
  const known = readings.get(client);
  if (known?.sha256 === sha256) return known;
  const reading = { sha256, about: readFromSources(sha256, client).catch(() => undefined) };
  readings.set(client, reading);
  void reading.about.then((about) => {
    if (about === undefined && readings.get(client) === reading) readings.delete(client);
  });
  return reading;
}

/** Asks one source after the other. */
async function readFromSources(aboutSha256: string, client: NamingClient): Promise<AboutIssuers | undefined> {
  const { tasks, deadline } = client;
  for (const source of client.sources()) {
    client.assertOpen();
    tasks.wake(TREE_FILES.about, deadline, () => tasks.stop(TREE_FILES.about));
    const files = source.files(tasks.signalOf(TREE_FILES.about));
    const bytes = await files.get(TREE_FILES.about).catch(() => undefined);
    tasks.stop(TREE_FILES.about);
    const about = await verifyAbout(bytes, { aboutSha256 });
    if (about !== undefined) return about;
  }
  return undefined;
}
