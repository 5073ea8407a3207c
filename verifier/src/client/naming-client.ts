import type { AcceptedStatements } from '../core/publication/statements.js';
import type { RefreshingRegistry } from './refreshing-registry.js';

/** What `aboutOf` needs of a registry client or a look-up. */
export type NamingClient = Pick<
  RefreshingRegistry<AcceptedStatements>,
  'assertOpen' | 'current' | 'sources' | 'tasks' | 'deadline'
>;

/**
 * The registry clients and look-ups, for `aboutOf`. They do not import the code of `aboutOf`, so a bundle contains that code only if
 * somebody shows names.
 */
export const namingClients = new WeakMap<object, NamingClient>();
