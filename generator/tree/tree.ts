import { type Changes, canonicalBytes } from '@passport-registry/verifier/core';
import { packageFile } from '../files/package-file.js';
import type { SignedPublication } from '../list/list.js';
import { sumsText } from './checksums.js';
import { isChecksummed } from './files.js';
import { hostFiles } from './host-configuration.js';
import { PATHS } from './paths.js';
import { openApiBytes, type RegistryDescription } from './registry-description.js';
import type { Logo } from './site/logo.js';
import { siteFiles } from './site/site-files.js';

/** A tree in memory: the bytes of every file by path. */
export type Tree = ReadonlyMap<string, Uint8Array>;

/** The JSON Schemas that a tree publishes, as they are in the package. */
const SCHEMAS = ['issuer', 'issuer-registry', 'jwk', 'trust-anchor', 'trust-policy'].map(
  (name) => `schemas/${name}.schema.json`,
);

/** The parts of a tree. */
interface TreeParts {
  readonly signed: SignedPublication;
  readonly changes: Changes;
  readonly about: RegistryDescription;
  readonly logo: Logo | undefined;
}

/** Assembles the tree of a signed list, but for its statements. The same parts always give the same bytes. */
export function assembleTree(parts: TreeParts): Tree {
  const { signed, changes, about, logo } = parts;
  const { list, signature, statement, sums, rootKey, development } = signed;
  const text = (content: string) => new TextEncoder().encode(content);
  const tree = new Map<string, Uint8Array>([
    [PATHS.list, list.list],
    [PATHS.namedList(signed.sha256), list.list],
    [PATHS.signature, text(signature)],
    [PATHS.rootKey, canonicalBytes(rootKey.jwk)],
  ]);
  for (const [id, bytes] of list.records) tree.set(PATHS.record(id), bytes);
  for (const [path, bytes] of sums.files) tree.set(path, bytes);
  if (signed.about !== undefined) tree.set(PATHS.about, signed.about);
  for (const path of SCHEMAS) tree.set(path, packageFile(path));
  tree.set(PATHS.openApi, openApiBytes(about));
  for (const [path, content] of hostFiles()) tree.set(path, text(content));
  const named = { names: signed.about, about, logo };
  const site = { list, rootKey, log: statement.log?.origin, development, ...named };
  for (const [path, bytes] of siteFiles(site, changes)) tree.set(path, bytes);
  if (development) tree.set(PATHS.developmentMark, text(DEVELOPMENT_NOTICE));
  const listed = [...tree].filter(([path]) => isChecksummed(path));
  return tree.set(PATHS.checksums, text(sumsText(listed)));
}

const DEVELOPMENT_NOTICE = `This registry is signed by a development key that was made on somebody's machine.
Nobody stands behind it. Do not publish it, do not pin its key, do not trust its issuers.
`;
