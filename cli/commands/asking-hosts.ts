import { AlreadyPublished } from '../../generator/errors.js';
import type { AssertFollowsHosts } from '../../generator/publishing/publication.js';
import { followsHosts } from '../hosts/follows-host.js';
import { cosignChoice, type PublicationOptions } from '../options/publication-options.js';
import { ask } from '../terminal/ask.js';
import { type Io, say } from '../terminal/io.js';

/** Returns the question that a command asks its hosts before the root key signs, and the operator before a first list. */
export function askingHosts(
  io: Io,
  { settings, config, delegation }: PublicationOptions,
  purpose: Pick<Parameters<typeof followsHosts>[1], 'issuers' | 'about' | 'stopped'>,
): AssertFollowsHosts {
  const { witnesses } = cosignChoice(settings);
  const asking = { env: io.env, confirmNew: (doubt: string) => confirmNew(io, doubt) };
  return followsHosts(asking, { settings, config, delegation, witnesses, ...purpose });
}

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
