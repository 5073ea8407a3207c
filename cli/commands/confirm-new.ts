import { AlreadyPublished } from '../../generator/errors.js';
import type { Asking } from '../hosts/not-published.js';
import { ask } from '../terminal/ask.js';
import { type Io, say } from '../terminal/io.js';

/** How a command asks before a first list. */
export const asking = (io: Io): Asking => ({ env: io.env, confirmNew: (doubt) => confirmNew(io, doubt) });

/**
 * Asks on the terminal whether a registry has never published: its host may not be there yet, and that of an old registry may be
 * away.
 *
 * @param doubt - why nobody else knows, in whole sentences
 * @throws {@link AlreadyPublished} if the operator does not say so, or if there is no terminal
 */
async function confirmNew(io: Io, doubt: string): Promise<void> {
  const otherwise =
    `${doubt} Nothing was signed. If it has never published, or its root key is lost, run this in a terminal, and answer new; without ` +
    'a terminal, leave base_url and mirrors out of registry.yaml for the first build';
  if (io.stdin.isTTY !== true) throw new AlreadyPublished(otherwise);
  say(io, `WARNING: ${doubt}`);
  const answer = await ask(
    io,
    'Only if this registry has never published, or its root key is lost, answer new: ',
    otherwise,
  );
  if (answer !== 'new')
    throw new AlreadyPublished('nobody says that this registry is new, so nothing was signed');
}
