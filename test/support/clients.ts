import type { RegistryEvent } from '@passport-registry/verifier';
import { afterEachTest } from './endings.js';
import type { RegistryHost } from './registry-host.js';

const opened: { close(): void }[] = [];
afterEachTest(() => {
  for (const client of opened.splice(0)) client.close();
});

/** Closes a client after the test. */
export function closedAfterTest<T extends { close(): void }>(client: T): T {
  opened.push(client);
  return client;
}

/** The options of a client whose events a test reads. */
interface WatchedOptions {
  readonly sources: readonly string[];
  /** Longer than the default, because the machine may be busy. */
  readonly timeout: number;
  readonly onEvent: (event: RegistryEvent) => void;
}

/** Creates a client of some hosts and keeps its events. It is closed after the test. */
export function watchedClient<T extends { close(): void }>(
  hosts: readonly RegistryHost[],
  create: (options: WatchedOptions) => T,
): { readonly client: T; readonly events: RegistryEvent[] } {
  const events: RegistryEvent[] = [];
  const onEvent = (event: RegistryEvent) => events.push(event);
  const client = create({ sources: hosts.map(({ base }) => base), timeout: 60, onEvent });
  return { client: closedAfterTest(client), events };
}
