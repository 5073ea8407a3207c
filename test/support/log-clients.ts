import {
  type AnchoredLookupOptions,
  createIssuerLookup,
  createRegistryClient,
  type NoUsableSource,
  type RegistryClient,
  type RegistryEvent,
} from '@passport-registry/verifier';
import { closedAfterTest } from './clients.js';
import type { LoggedRegistry } from './logged-registry.js';
import type { Files } from './publication.js';
import { type RegistryHost, registryHost } from './registry-host.js';

/** Both kinds of clients. */
export const CLIENTS = [
  ['a client with the list', createRegistryClient],
  ['a look-up of single issuers', createIssuerLookup],
] as const;

/** Creates a client of one kind. */
export type CreateClient = (
  options: AnchoredLookupOptions,
) => Pick<RegistryClient, 'ready' | 'refresh' | 'status' | 'updatedAt' | 'close'>;

/** A client of one host, which serves what a test says. */
export interface LogReader {
  readonly client: ReturnType<CreateClient>;
  readonly host: RegistryHost;
  readonly events: RegistryEvent[];
  /** The clock of the client, in milliseconds since 1970. Default: that of the registry. */
  now: number | undefined;
  /** Serves files and refreshes. Returns `accepted`, or the code of the refusal. */
  read(files: Files): Promise<string>;
}

/** Creates a client of a new host. It reads only when a test says so. By default, its quorum is two of three witnesses. */
export async function logReader(
  create: CreateClient,
  registry: LoggedRegistry,
  options: Partial<AnchoredLookupOptions> = {},
): Promise<LogReader> {
  const host = await registryHost();
  const events: RegistryEvent[] = [];
  const reader = { host, events, now: undefined } as unknown as LogReader;
  const client = closedAfterTest(
    create({
      trustAnchor: registry.anchor(2),
      sources: [host.base],
      refreshInterval: 1e6,
      timeout: 60,
      onEvent: (event) => events.push(event),
      now: () => reader.now ?? registry.now,
      ...options,
    }),
  );
  const read = async (files: Files) => {
    host.files = files;
    return codeOf(client.refresh());
  };
  return Object.assign(reader, { client, read });
}

/** Returns `accepted`, or the codes by which the sources were refused. */
export async function codesOf(work: Promise<unknown>): Promise<string[]> {
  try {
    await work;
    return ['accepted'];
  } catch (error) {
    const codes = Object.values((error as NoUsableSource).errors ?? {}).map(({ code }) => code);
    return codes.length > 0 ? codes : [(error as { code?: string }).code ?? String(error)];
  }
}

/** Returns `accepted`, or the code by which the first source was refused. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  const [first = ''] = await codesOf(work);
  return first;
}

/** What a first visitor reads, when, and with which options. */
interface Visit extends Partial<Omit<AnchoredLookupOptions, 'now'>> {
  readonly files: Files;
  /** The clock of the visitor, in milliseconds since 1970. Default: that of the registry. */
  readonly now?: number;
}

/** What a first visitor says of some files: `accepted`, or the code of the refusal. */
export async function verdictOf(
  create: CreateClient,
  registry: LoggedRegistry,
  { files, now, ...options }: Visit,
): Promise<string> {
  const reader = await logReader(create, registry, options);
  reader.now = now;
  return reader.read(files);
}
