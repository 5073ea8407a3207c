import {
  createRegistryClient,
  type Issuer,
  type RegistryClient,
  type RegistryClientOptions,
} from '@passport-registry/verifier';
import { type Files, issuer, type PublishOptions, publish, type TestKey, testKey } from './publication.js';
import { type RegistryHost, registryHost } from './registry-host.js';
import { sha256 } from './sha256.js';

/** A registry whose records change, on a host. */
export class ChangingRegistry {
  readonly key: TestKey;
  readonly host: RegistryHost;
  readonly records: Map<string, Issuer>;
  sequence = 0;

  constructor(key: TestKey, host: RegistryHost, ids: readonly string[]) {
    this.key = key;
    this.host = host;
    this.records = new Map();
    for (const id of ids) this.change(id, {});
  }

  /** Changes or adds a record. It has the size that records usually have. */
  change(id: string, more: Partial<Issuer> = { status: 'suspended' }): void {
    const policy_uri = `https://${id}.example/${'policy/'.repeat(40)}`;
    this.records.set(id, issuer(id, { policy_uri, ...more }));
  }

  /** Returns the same registry on another host. The copy can go on differently. */
  async copy(): Promise<ChangingRegistry> {
    const copy = new ChangingRegistry(this.key, await registryHost(new Map(this.host.files)), []);
    for (const [id, record] of this.records) copy.records.set(id, record);
    copy.sequence = this.sequence;
    return copy;
  }

  /** Publishes the records. Each publication is a second newer. */
  async publish(options: PublishOptions = {}): Promise<Files> {
    this.sequence += 1;
    const updatedAt = new Date(Date.parse('2026-11-21T08:00:00Z') + this.sequence * 1000).toISOString();
    this.host.files = publish(this.key, [...this.records.values()], {
      sequence: this.sequence,
      updatedAt: updatedAt.replace('.000', ''),
      ...options,
    });
    return this.host.files;
  }

  /** Creates a client. It asks the host only when a test says so. */
  client(options: Partial<RegistryClientOptions> = {}): RegistryClient {
    const { host, key } = this;
    return createRegistryClient({
      sources: [host.base],
      rootKey: key.rootKey.jwk,
      refreshInterval: 1e6,
      ...options,
    });
  }

  /** Returns the paths of the files that were sent since the last call. */
  sent(): string[] {
    return this.host.log
      .splice(0)
      .filter((line) => line.endsWith(' 200'))
      .map((line) => line.slice(0, -' 200'.length));
  }

  get list(): Buffer {
    return this.host.files.get('issuers.json') as Buffer;
  }

  /** The payload hash of the published list. */
  get sha256(): string {
    return sha256(this.list);
  }
}

/** Creates and publishes a registry. */
export async function changingRegistry(ids: readonly string[], options: PublishOptions = {}) {
  const registry = new ChangingRegistry(await testKey(), await registryHost(), ids);
  await registry.publish(options);
  return registry;
}

/** Returns ids in order. */
export function idsFrom(first: number, count: number): string[] {
  return Array.from({ length: count }, (_one, index) => `issuer-${String(first + index).padStart(5, '0')}`);
}
