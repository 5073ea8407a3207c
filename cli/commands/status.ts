import type { Command } from 'commander';
import { LEVELS, mostUrgent } from '../operating/part.js';
import { readFacts } from '../operating/read-facts.js';
import { type NamedPart, statusOf } from '../operating/status.js';
import {
  addOptions,
  BASE_URL_OPTION,
  FAIL_ON_OPTION,
  ISSUERS_OPTION,
  JSON_OPTION,
  OFFLINE_OPTION,
  OUT_OPTION,
  ROOT_KEY_OPTION,
} from '../options/common-options.js';
import { exceptions } from '../options/publication-choices.js';
import { EXCEPTION_OPTIONS, type PublicationOptions } from '../options/publication-options.js';
import { mapPaths } from '../options/settings.js';
import { assertAddresses } from '../options/values.js';
import { emit, type Io, type Output, writeLine } from '../terminal/io.js';
import { shortPath } from '../terminal/paths.js';

/** `passport-registry status` */
export function declareStatus(command: Command, io: Io) {
  command
    .addOption(ISSUERS_OPTION)
    .addOption(OUT_OPTION)
    .addOption(ROOT_KEY_OPTION)
    .option('--key <file|env:NAME>', 'private root key: looked for, never read')
    .addOption(BASE_URL_OPTION)
    .option('--mirror <url...>', 'URLs of the mirrors');
  addOptions(command, ...EXCEPTION_OPTIONS, OFFLINE_OPTION, FAIL_ON_OPTION, JSON_OPTION);
  return (options: Options) => status(io, options);
}

interface Options extends PublicationOptions {
  issuers: string;
  out: string;
  offline?: true;
  failOn: 'error' | 'warning';
  json?: true;
}

async function status(io: Io, options: Options): Promise<number> {
  const { issuers, out, failOn, offline = false, json } = options;
  const settings = mapPaths(options.settings, shortPath);
  const { base_url: baseUrl, mirrors = [] } = settings;
  assertAddresses(baseUrl === undefined ? mirrors : [baseUrl, ...mirrors]);
  const facts = await readFacts({
    settings,
    issuers,
    out,
    offline,
    env: io.env,
    now: Date.now(),
    exceptions: exceptions(options),
  });
  const parts = statusOf(facts);
  const level = mostUrgent(parts.map((part) => part.level));
  const ok = level !== 'error' && (level !== 'warning' || failOn === 'error');
  if (json) emit(io, { ok, level, parts: parts.map(({ data, ...said }) => ({ ...said, ...data })) });
  else writeParts(io.stdout, parts);
  return ok ? 0 : 1;
}

const MARKS = { error: 'FAILED ', warning: 'warning', note: 'note   ', ok: 'ok     ' } as const;

/** Prints a line for each part, most urgent first. */
function writeParts(output: Output, parts: readonly NamedPart[]): void {
  const width = Math.max(...parts.map(({ part }) => part.length));
  for (const level of LEVELS) {
    for (const { part, fact, hint } of parts.filter((one) => one.level === level))
      writeLine(
        output,
        `${MARKS[level]} ${part.padEnd(width)} ${fact}${hint === undefined ? '' : `. ${hint}`}`,
      );
  }
}
