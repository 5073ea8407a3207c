import type { PublishOptions } from '../../generator/publishing/publication.js';
import type { BuildReport } from '../../generator/publishing/report.js';
import {
  type BuildCommandOptions,
  exceptions,
  freshnessChoice,
  logChoice,
  type PublicationOptions,
  treeOptions,
  urlQuestion,
} from '../options/publication-options.js';
import { emit, type Io } from '../terminal/io.js';
import { codeOf, sayBuilt } from '../terminal/say-built.js';

/** Returns what a new list depends on before it is signed. */
export async function listChoice(io: Io, options: PublicationOptions) {
  return {
    exceptions: exceptions(options),
    log: await logChoice(io, options),
    url: urlQuestion(options),
  };
}

/** Returns what the publication of a list depends on. @throws {@link UsageError} | {@link IoFailed} | {@link KeyRejected} */
export async function publishChoice(io: Io, options: PublicationOptions): Promise<PublishOptions> {
  const freshness = await freshnessChoice(io, options);
  return { ...(await listChoice(io, options)), freshness, ...treeOptions(options.settings) };
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
