import { limitOf } from '@passport-registry/verifier/core';
import { prepareSigning } from '../../custody/offline-signing/prepare-signing.js';
import { describeChanges, type SigningRequest } from '../../custody/offline-signing/signing-request.js';
import { readBytes } from '../../generator/files/read-file.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import { PATHS } from '../../generator/tree/paths.js';
import { followsHosts } from '../operating/follows-host.js';
import { type BuildCommandOptions, listTime } from '../options/build-options.js';
import { logChoice } from '../options/log-options.js';
import { positiveNumber } from '../options/numbers.js';
import { exceptions } from '../options/rule-options.js';
import { hasSigner } from '../options/settings.js';
import { sayDiagnostics } from '../terminal/diagnostics.js';
import type { Io } from '../terminal/io.js';
import { emit, say } from '../terminal/output.js';
import { sayRequest } from '../terminal/say-request.js';
import { verifyHolders } from '../verify-holders.js';

/** The options of `build` for a signing request. */
export interface UnsignedOptions {
  unsigned?: string;
  delegate?: readonly string[];
  days?: string;
  /** Undefined if neither `--hold` nor `--no-hold` was given. */
  hold?: boolean;
}

/** `passport-registry build --unsigned`: writes a signing request, and leaves the tree unchanged. */
export async function buildUnsigned(
  io: Io,
  folder: string,
  options: BuildCommandOptions & UnsignedOptions,
): Promise<undefined> {
  const { rootKey, settings, delegate, days = '90', hold, holders } = options;
  // Before anybody signs for a tree with this record. `attach` compares it with the root key.
  if (holders !== undefined) await verifyHolders(readBytes(holders, limitOf(PATHS.holders)), holders);
  const request = await prepareSigning(
    {
      issuers: options.issuers,
      out: options.out,
      rootKey: rootKey === undefined ? undefined : await loadRootKey(rootKey, true, io.env),
      log: await logChoice(io, options),
      checkpoint: hasSigner(settings.checkpoint),
      delegate: delegate && {
        keys: await Promise.all(delegate.map((file) => loadRootKey(file, true, io.env))),
        days: positiveNumber('--days', days),
        mayHold: hold,
      },
      exceptions: exceptions(options),
      time: listTime(io, options),
      assertFollowsHosts: followsHosts(io, options),
    },
    folder,
  );
  if (options.json) emit(io, { ok: true, ...(request && reportOf(request, folder)) });
  if (request === undefined) {
    say(io, `${options.out} already has the same records: there is nothing to sign`);
    return undefined;
  }
  sayDiagnostics(io, request.warnings);
  if (request.answers !== undefined) say(io, `note: ${request.answers}`);
  sayRequest(io, request, folder);
  return undefined;
}

function reportOf(request: SigningRequest, folder: string) {
  const { publication } = request;
  return {
    request: folder,
    sha256: publication?.sha256,
    sequence: publication?.statement.sequence,
    changes: describeChanges(request),
  };
}
