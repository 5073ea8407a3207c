import type { AcceptedStatements } from '../core/publication/statements.js';
import type { RefreshingRegistry } from './refreshing-registry.js';

/** What `aboutOf` needs of a registry client or a look-up. */
export type NamingClient = Pick<
  RefreshingRegistry<AcceptedStatements>,
  'assertOpen' | 'current' | 'sources' | 'tasks' | 'deadline'
>;

/**
 * The registry clients and look-ups. The code of `aboutOf` is in a bundle only if somebody shows names, so those do not
 * import it.
 */
export const namingClients = new WeakMap<object, NamingClient>();
