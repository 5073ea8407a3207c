import type { AlreadyPublished } from '../../generator/errors.js';
import type { Asking } from '../operating/follows-host.js';
import { ask } from '../terminal/ask.js';
import type { Io } from '../terminal/io.js';
import { say } from '../terminal/output.js';

/** How a command asks before a first list. */
export const asking = (io: Io): Asking => ({ env: io.env, confirmNew: (doubt) => confirmNew(io, doubt) });

/**
 * Asks on the terminal whether a registry has never published: its host may not be there yet, and that of an old registry may be
 * away.
 *
 * @throws the doubt, if the operator does not say so, or if there is no terminal
 */
async function confirmNew(io: Io, doubt: AlreadyPublished): Promise<void> {
  if (io.stdin.isTTY !== true) throw doubt;
  say(io, `WARNING: ${doubt.message}`);
  const answer = await ask(io, 'Only if this registry has never published, answer new: ', doubt.message);
  if (answer !== 'new') throw doubt;
}
