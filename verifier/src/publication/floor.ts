import { LIMITS } from '../limits.js';
import { limitFiles } from './limit-files.js';
import type { RegistryFiles } from './registry-files.js';
import {
  acceptHead,
  type Head,
  type NamedList,
  readStatements,
  type SourceTrust,
  type Statements,
} from './statements.js';
import { underAnyRoot } from './under-any-root.js';
import { namedBy, readWholeList } from './whole-list.js';

/**
 * Reads what the files of a store prove about the newest list that was accepted: its statements, or else the list itself.
 * A store that lacks what the verifier requires today, or that has no list, still protects against rollbacks.
 */
export async function readFloor(files: RegistryFiles, trust: SourceTrust): Promise<Head> {
  const source = limitFiles(files);
  const anyForm = { ...trust, requireCheckpoint: false, requirePublication: false };
  return underAnyRoot(trust.roots, async (root) => {
    const statements = await readStatements(source, root, anyForm);
    const named = namedBy(statements) ?? (await readList(source, statements));
    return acceptHead(statements, named, anyForm);
  });
}

async function readList(files: RegistryFiles, statements: Statements): Promise<NamedList> {
  const reading = { statements, folders: [''], maxListBytes: LIMITS.list };
  const { sha256, registry } = await readWholeList(files, reading);
  return { updatedAt: registry.updated_at, sha256 };
}
