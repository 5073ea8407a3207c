import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FOLDER } from '../../generator/files/private-folder.js';
import { type CommandPlace, commandLine, shellWord } from '../command-line.js';

/** Where proposed commands run, and over which tree. */
interface TreePlace extends CommandPlace {
  /** The folder of the tree, quoted for a shell. */
  readonly out: string;
}

/** What the names of folders begin with into which replaced trees are moved: such a tree may have what nobody else has. */
const REPLACED = 'replaced-';

/** The name of the tree in each of them. */
const TREE = 'dist';

/** All of them, in a message. */
export const REPLACED_TREES = join(PRIVATE_FOLDER, `${REPLACED}*`, TREE);

/** The replaced trees in the working directory. */
export function replacedTrees(): readonly string[] {
  if (!existsSync(PRIVATE_FOLDER)) return [];
  const names = readdirSync(PRIVATE_FOLDER).filter((name) => name.startsWith(REPLACED));
  return names.map((name) => join(PRIVATE_FOLDER, name, TREE));
}

/** The command that makes room for a tree, and keeps the one that is there. Run again, it stops at `mkdir`. */
export function moveAway(out: string): string {
  for (let number = 1; ; number++) {
    const folder = join(PRIVATE_FOLDER, `${REPLACED}${number}`);
    if (!existsSync(folder)) return `mkdir ${folder} && mv ${out} ${join(folder, TREE)}`;
  }
}

/** The copy of a host's tree that `mirror` makes, and verifies. */
export const MIRROR_FOLDER = join(PRIVATE_FOLDER, 'mirror');

/**
 * The command that brings the tree of a host into a folder.
 *
 * @param key - the option that names the root key
 * @param replaces - whether the folder has a tree
 */
export function loadFromHost(
  url: string,
  { out, ...place }: TreePlace,
  { key, replaces }: { readonly key: readonly string[]; readonly replaces: boolean },
): string {
  const mirror = commandLine(place, 'mirror', shellWord(url), MIRROR_FOLDER, ...key);
  return `${mirror}${replaces ? ` && ${moveAway(out)}` : ''} && cp -rL ${MIRROR_FOLDER}/current ${out}`;
}

/** The command that holds issuers. */
export function holdCommand(ids: readonly string[], { out, ...place }: TreePlace): string {
  return commandLine(place, 'hold', ...ids, ...optionsOfHold(out));
}

/** The options of `hold` for a tree. */
export const optionsOfHold = (out: string) => (out === 'dist' ? [] : ['--out', out]);

/** One command, because the loaded tree shows no trace of whom the own one has held. */
export function andHold(load: string, ids: readonly string[], place: TreePlace): string {
  return ids.length === 0 ? load : `${load} && ${holdCommand(ids, place)}`;
}
