import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { RootKey } from '@passport-registry/verifier';
import { isMap, isNode, parseDocument, stringify } from 'yaml';
import { GeneratorError, ignoring } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import { replaceFile, writeWholeFile } from '../../generator/files/replace-file.js';
import type { RegistryFile, Signer } from '../../generator/generated/settings.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import { CONFIGURATION_FILE } from '../options/settings.js';
import { shortPath } from '../terminal/paths.js';

/** What the settings are to name after a rotation. */
interface NextSettings {
  /** The value of `--config`. Undefined if it was not given. */
  readonly config: string | undefined;
  readonly next: RootKey;
  /** What signs with the next key. Undefined if that is on another machine. */
  readonly signer?: Signer | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** What a rotation has changed in the settings, and what is left to the operator. */
export interface ChangedSettings {
  /** The files that have changed. */
  readonly changed: readonly string[];
  /** What the operator has to do, in words. */
  readonly left: readonly string[];
}

/**
 * Lets the settings name the next key: first in registry.yaml, without `next_roots`, which the published rotation says now, and then
 * in the file of the public key. If this is killed in between, that file still names the outgoing key, by which `keys rotate` knows
 * that something is left.
 *
 * @throws {@link IoFailed}
 */
export async function changeSettings(options: NextSettings): Promise<ChangedSettings> {
  const { config: file = CONFIGURATION_FILE, next, env } = options;
  const text = existsSync(file) ? readText(file) : '';
  const settings: RegistryFile = parse(text).toJS() ?? {};
  const { edits, left } = editsOf(settings, dirname(resolve(file)), options);
  const changed: string[] = [];
  const after = withEdits(text, edits);
  if (after === undefined) left.push(`${file} has an unusual form: let it name the next key by hand`);
  else if (after !== text) {
    replaceFile(file, after);
    changed.push(file);
  }
  const { root_key: rootKey } = settings;
  if (rootKey === undefined)
    left.push('name the public key, which the tree has in keys/root.json, with --root-key');
  else if (rootKey.startsWith('env:'))
    left.push(`put the public key into the variable of root_key, ${rootKey}`);
  else {
    const path = resolve(dirname(file), rootKey);
    const present = await loadRootKey(path, env).catch(ignoring(GeneratorError));
    if (present?.thumbprint !== next.thumbprint) {
      writeWholeFile(path, `${JSON.stringify(next.jwk)}\n`);
      changed.push(shortPath(path));
    }
  }
  return { changed, left };
}

const parse = (text: string) => parseDocument(text, { version: '1.2', schema: 'core' });

/** A setting, and its new value. Undefined removes it. */
interface Edit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Returns what changes in registry.yaml, and what only the operator can do. */
function editsOf(
  settings: RegistryFile,
  folder: string,
  { signer }: NextSettings,
): { edits: Edit[]; left: string[] } {
  const edits: Edit[] = [];
  const left: string[] = [];
  const { signer: before, checkpoint } = settings;
  const after = signer && withPathsFrom(folder, signer);
  if (before?.key?.startsWith('env:') === true)
    left.push(`put the next key into the variable of signer.key, ${before.key}`);
  else if (before === undefined && after !== undefined) left.push('name the next key with --key');
  else if (before !== undefined && after === undefined)
    left.push('let signer in registry.yaml name the next key, or remove it');
  else if (before !== undefined && after !== undefined) {
    edits.push(...editsOfSigner(['signer'], before, after));
    // The root key may sign checkpoints.
    if (checkpoint?.signer !== undefined && isDeepStrictEqual(checkpoint.signer, before))
      edits.push(...editsOfSigner(['checkpoint', 'signer'], before, after));
  }
  if (settings.next_roots !== undefined) edits.push({ path: ['next_roots'], value: undefined });
  return { edits, left };
}

/** Returns a signer with the paths that a file in a folder contains. */
function withPathsFrom(folder: string, signer: Signer): Signer {
  const path = (given: string | undefined) =>
    given === undefined || given.startsWith('env:') ? given : relative(folder, resolve(given));
  const named = { ...signer, key: path(signer.key), passphrase_file: path(signer.passphrase_file) };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

function editsOfSigner(path: readonly string[], before: Signer, after: Signer): Edit[] {
  if (isDeepStrictEqual(before, after)) return [];
  const isKeyAlone = [before, after].every((one) => String(Object.keys(one)) === 'key');
  // A key alone changes in its place, so a comment beside it stays.
  return [isKeyAlone ? { path: [...path, 'key'], value: after.key } : { path, value: after }];
}

/** Changes settings in the text of a file: comments, order and spacing stay. Undefined if the form of the file does not allow it. */
function withEdits(text: string, edits: readonly Edit[]): string | undefined {
  const document = parse(text);
  let changed: string | undefined = text;
  for (const { path, value } of edits) {
    if (value === undefined) document.deleteIn(path);
    else document.setIn(path, value);
    changed = changed === undefined ? undefined : withEdit(changed, path, value);
  }
  const isMeant = changed !== undefined && isDeepStrictEqual(parse(changed).toJS(), document.toJS());
  return isMeant ? changed : undefined;
}

function withEdit(text: string, path: Edit['path'], value: unknown): string | undefined {
  const document = parse(text);
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === path.at(-1)) : undefined;
  if (!isNode(pair?.key) || !isNode(pair.value) || !pair.key.range || !pair.value.range) return undefined;
  const [start] = pair.key.range;
  const [from, to] = pair.value.range;
  if (value !== undefined)
    return (
      text.slice(0, from) +
      stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd() +
      text.slice(to)
    );
  const end = text.indexOf('\n', to - 1);
  return text.slice(0, text.lastIndexOf('\n', start) + 1) + (end === -1 ? '' : text.slice(end + 1));
}
