import type { Issuer } from '@passport-registry/verifier';
import type { Command } from 'commander';
import { editStatus } from '../../authoring/edit-status.js';
import { addBuildOptions, type BuildCommandOptions } from '../options/build-options.js';
import type { Invocation } from '../terminal/io.js';
import { say } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { buildAndReport } from './build.js';

interface Options extends BuildCommandOptions {
  reason: string;
}

const COMMANDS: readonly [name: string, to: Issuer['status'], description: string][] = [
  ['suspend', 'suspended', 'suspend an issuer: edit its record, build, sign, verify'],
  ['revoke', 'revoked', 'revoke an issuer for good: edit its record, build, sign, verify'],
  ['reinstate', 'active', 'end the suspension of an issuer: edit its record, build, sign, verify'],
];

/** `passport-registry suspend`, `revoke` and `reinstate` */
export function addStatusCommands(program: Command, io: Invocation): void {
  for (const [name, to, description] of COMMANDS) {
    const command = program
      .command(name)
      .description(description)
      .argument('<id>', 'issuer_id')
      .requiredOption('--reason <text>', 'the reason, which becomes a comment in the record');
    addBuildOptions(command).action((id: string, options: Options) =>
      run(io, options.json === true, () => changeAndBuild(io, { id, to }, options)),
    );
  }
}

interface StatusChange {
  readonly id: string;
  readonly to: Issuer['status'];
}

/** Changes the record and the tree together: if the build fails, restores the record. */
async function changeAndBuild(
  io: Invocation,
  { id, to }: StatusChange,
  options: Options,
): Promise<undefined> {
  const edit = editStatus(options.issuers, id, { to, reason: options.reason, now: new Date() });
  say(io, `${id}: status ${edit.from} -> ${edit.to} (${edit.file})`);
  try {
    await buildAndReport(io, options);
  } catch (error) {
    edit.undo();
    say(io, `${edit.file} is unchanged`);
    throw error;
  }
  say(io, `Commit ${edit.file}, and publish ${options.out}.`);
  return undefined;
}
