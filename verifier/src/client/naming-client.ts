import type { Head } from '../core/publication/statements.js';
import type { RefreshingRegistry } from './refreshing-registry.js';
import { Tasks } from './tasks.js';

/** What a registry client or a look-up needs to answer `aboutOf`. */
export interface NamingClient {
  readonly client: Pick<RefreshingRegistry<Head>, 'assertOpen' | 'current' | 'sources'>;
  /** Of each source, in milliseconds. */
  readonly deadline: number;
  /** The requests under way. */
  readonly tasks: Tasks;
}

/** The registry clients and look-ups. */
export const namingClients = new WeakMap<object, NamingClient>();

/**
 * Makes `aboutOf` know a registry client or a look-up. The code of `aboutOf` is in a bundle only if somebody shows names, so
 * this module does not import it.
 *
 * @returns stops all requests
 */
export function letAsk(
  made: object,
  client: NamingClient['client'],
  { deadline }: Pick<NamingClient, 'deadline'>,
): () => void {
  const tasks = new Tasks();
  namingClients.set(made, { client, deadline, tasks });
  return () => tasks.stop();
}
