import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/paths.js';

/** The types of objects with options or settings of `build`, each under all names that it has on its way. */
const TYPES = [
  ...['BuildCommandOptions', 'PublicationOptions', 'Settings', 'RegistryFile', 'WithSettings'],
  ...['SignerSettings', 'WitnessSettings'],
  ...['BuildOptions', 'PublishOptions', 'NewPublication', 'PreparationOptions', 'TreeOptions', 'ListTime'],
  ...['SignerChoice', 'CommandSignerOptions', 'PublicationExceptions', 'RuleExceptions'],
  ...['FreshnessChoice', 'FreshnessChange', 'CheckpointChoice', 'LogChoice', 'CosignChoice'],
  ...['RegistryDescription', 'TreeParts'],
];

/** The files in which the way begins: the command, and what gives it its settings. */
const BEGINNINGS = ['cli/commands/build.ts', 'cli/options/settings.ts'];

interface File {
  readonly isNamed: boolean;
  /** The files of which this one imports more than types. */
  readonly calls: readonly string[];
}

const IMPORT = /^(?:import|export)\s+(type\s+)?([^;']*?)\s*from\s*'(\.[^']+)\.js';/gm;

/** Reads the files that a file reaches, without comments. Files of the verifier know no options of `build`. */
function reached(beginnings: readonly string[]): ReadonlyMap<string, File> {
  const found = new Map<string, File>();
  const read = (file: string) => {
    if (found.has(file) || !existsSync(join(ROOT, file))) return;
    const text = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '');
    const imports = [...text.matchAll(IMPORT)].map(([, isType, names = '', path = '']) => ({
      target: `${join(dirname(file), path)}.ts`,
      isCall: isType === undefined && names.split(',').some((name) => !/^[{\s]*(?:type |\}?\s*$)/.test(name)),
    }));
    const isNamed = TYPES.some((type) => new RegExp(`(?<![\\w.'])${type}\\b(?!')`).test(text));
    found.set(file, { isNamed, calls: imports.flatMap(({ target, isCall }) => (isCall ? [target] : [])) });
    for (const { target } of imports) read(target);
  };
  for (const file of beginnings) read(file);
  return found;
}

describe('The options of `build`', () => {
  const files = reached(BEGINNINGS);
  /** The files that take an object with options and call a file that takes one: an upper limit of those that pass it on. */
  const places = [...files].flatMap(([file, { isNamed, calls }]) =>
    isNamed && calls.some((other) => files.get(other)?.isNamed === true) ? [file] : [],
  );

  it('pass through at most 15 places between the command and where they are used', () => {
    expect(files.size).toBeGreaterThan(120);
    expect(places).toEqual(
      expect.arrayContaining(['cli/commands/build.ts', 'generator/publishing/attach.ts']),
    );
    expect(places.length, places.join('\n')).toBeLessThanOrEqual(15);
  });

  it('never go back up: no file of generator/ or custody/ reaches the command line', () => {
    const up = [...files].filter(
      ([file, { calls }]) => !file.startsWith('cli/') && calls.some((other) => other.startsWith('cli/')),
    );
    expect(up).toEqual([]);
  });
});
