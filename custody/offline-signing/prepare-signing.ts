import type { RootKey } from '@passport-registry/verifier';
import { readList } from '@passport-registry/verifier/core';
import type { Diagnostic } from '../../generator/diagnostics/diagnostic.js';
import { UsageError } from '../../generator/errors.js';
import { withOutputFolder } from '../../generator/files/output-folder.js';
import { NO_WITNESSES } from '../../generator/log/log-choice.js';
import { askUrl, openCommitted } from '../../generator/publishing/open-tree.js';
import { type Preparation, prepare } from '../../generator/publishing/prepare.js';
import type { PublicationRequest } from '../../generator/publishing/request.js';
import { readStatementInput } from '../../generator/publishing/sign-statement.js';
import { goodRecords } from '../../generator/records/check-records.js';
import { sha256 } from '../../generator/tree/checksums.js';
import type { PublishedTree } from '../../generator/tree/published-tree.js';
import { readCheckpointInput } from './checkpoint-request.js';
import type { PreviousPublication, RequestedPublication } from './publication-request.js';
import { writeRequestFiles } from './request-files.js';
import { readRotationInput } from './rotation-request.js';
import { type SigningRequest, signingRequest } from './signing-request.js';

/** Options of `prepareSigning`. */
export interface PreparationOptions extends Omit<Preparation, 'records' | 'signer' | 'renewsCheckpoint'> {
  /** The folder of the records. */
  readonly issuers: string;
  /** The folder of the tree. */
  readonly out: string;
  /** The root key that will sign. Default: the root key of the published tree. Required for a first list, and for a rotation. */
  readonly rootKey?: RootKey | undefined;
}

/** A signing request that was written to a folder. */
interface PreparedRequest extends SigningRequest {
  /** Warnings about the records. */
  readonly warnings: readonly Diagnostic[];
  /** What the operator should know, in whole sentences. */
  readonly notes: readonly string[];
}

/**
 * Prepares a publication for signing elsewhere: the first step of a build, whose request is written to a folder. The published tree
 * is not touched; `attachSignatures` publishes what was signed.
 *
 * @param folder - a new folder for the request
 * @returns undefined if the published list already has the same records, its statement says the same, and nothing is left for the
 *   root key to sign
 * @throws the errors of `prepare` and `openTree`; {@link IoFailed}
 */
export async function prepareSigning(
  options: PreparationOptions,
  folder: string,
): Promise<PreparedRequest | undefined> {
  const { issuers, out, log, url } = options;
  const records = goodRecords(issuers, undefined, 'there is nothing to sign');
  return withOutputFolder(out, async (output) => {
    const found = await openCommitted(output, log ?? NO_WITNESSES);
    const rootKey = options.rootKey ?? found.newest?.rootKey;
    if (rootKey === undefined) {
      throw new UsageError(
        `${out} has no list yet, so the request names the key that will sign it: pass --root-key, or set root_key in registry.yaml`,
      );
    }
    const signer = { rootKey, development: false };
    const { tree, notes } = await askUrl(found, signer, url);
    const prepared = await prepare({ ...options, records, signer, renewsCheckpoint: true }, tree);
    const request = await requestOf(
      prepared.request,
      tree.newest?.development === true ? undefined : tree.newest,
    );
    if (request === undefined) return undefined;
    writeRequestFiles(folder, request);
    return { ...request, warnings: prepared.warnings, notes: [...notes, ...prepared.notes] };
  });
}

/** Returns what is left for root keys to sign. Undefined if that is nothing. */
async function requestOf(
  { rootKey, list, records, signature, statement, checkpoint, rotation: step }: PublicationRequest,
  follows: PublishedTree | undefined,
): Promise<SigningRequest | undefined> {
  const previous = follows && previousPublication(follows);
  const publication: RequestedPublication | undefined =
    'toSign' in statement
      ? {
          list: list.list,
          registry: readList(list.list),
          about: records.about,
          previous,
          input: statement.toSign,
          statement: readStatementInput(statement.toSign),
          kept: signature !== undefined,
        }
      : undefined;
  const named = publication?.statement ?? follows?.statement;
  const requested =
    checkpoint !== undefined && 'toSign' in checkpoint && named !== undefined
      ? readCheckpointInput(checkpoint.toSign, rootKey, named)
      : undefined;
  if (publication === undefined && requested === undefined) return undefined;
  const rotation = step && (await readRotationInput(step.toSign, step.outgoing));
  const keys = { rootKey, previousRootKey: step?.outgoing };
  return signingRequest(keys, { publication, checkpoint: requested, rotation }, previous);
}

function previousPublication({ list, signature, statement, about }: PublishedTree): PreviousPublication {
  return { list, registry: readList(list), sha256: sha256(list), signature, statement, about };
}
