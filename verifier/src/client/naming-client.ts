import type { AcceptedStatements } from '../core/publication/statements.js';
import type { RefreshingRegistry } from './refreshing-registry.js';

/** What a registry client or a look-up needs to answer `aboutOf`. */
export interface NamingClient {
  readonly client: Pick<
    RefreshingRegistry<AcceptedStatements>,
    'assertOpen' | 'current' | 'sources' | 'tasks'
  >;
  /** Of each source, in milliseconds. */
  readonly deadline: number;
}

/**
 * The registry clients and look-ups. The code of `aboutOf` is in a bundle only if somebody shows names, so those do not
 * import it.
 */
export const namingClients = new WeakMap<object, NamingClient>();
