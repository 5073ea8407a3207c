import { AlreadyPublished } from '../../generator/errors.js';
import type { PublishOptions } from '../../generator/publishing/publication.js';
import type { BuildReport } from '../../generator/publishing/report.js';
import { followsHosts } from '../hosts/follows-host.js';
import {
  type BuildCommandOptions,
  cosignChoice,
  exceptions,
  freshnessChoice,
  logChoice,
  type PublicationOptions,
  treeOptions,
} from '../options/publication-options.js';
import { ask } from '../terminal/ask.js';
import { emit, type Io, say } from '../terminal/io.js';
import { codeOf, sayBuilt } from '../terminal/say-built.js';

/** What a command does to issuers. */
type Purpose = Pick<Parameters<typeof followsHosts>[1], 'stopped'>;

/** Returns what a new list depends on before it is signed, and the question whether it follows what the hosts serve. */
export async function listChoice(io: Io, options: PublicationOptions, purpose: Purpose = {}) {
  const { settings, config } = options;
  const { witnesses } = cosignChoice(settings);
  const asking = { env: io.env, confirmNew: (doubt: string) => confirmNew(io, doubt) };
  return {
    exceptions: exceptions(options),
    log: await logChoice(io, options),
    assertFollowsHosts: followsHosts(asking, { settings, config, witnesses, ...purpose }),
  };
}

/** Returns what the publication of a list depends on. @throws {@link UsageError} | {@link IoFailed} | {@link KeyRejected} */
export async function publishChoice(
  io: Io,
  options: PublicationOptions,
  purpose: Purpose = {},
): Promise<PublishOptions> {
  const freshness = await freshnessChoice(io, options);
  return { ...(await listChoice(io, options, purpose)), freshness, ...treeOptions(options.settings) };
}

/** Prints the report of a publication. @returns the exit code */
export function reportPublished(
  io: Io,
  report: BuildReport,
  { started, ...options }: Pick<BuildCommandOptions, 'json'> & { readonly started: number },
): number {
  const code = codeOf(report);
  if (options.json) emit(io, { ok: code === 0, ...report });
  sayBuilt(io, report, performance.now() - started);
  return code;
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
