import { join, resolve } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import type { Command } from 'commander';
import { shortPath } from '../command-line.js';
import { ROTATION_FILES } from '../operating/rotation-files.js';
import { hasSigner } from '../options/settings.js';
import type { RemainingRotation } from '../rotating/plan.js';
import { count, type Io, say } from '../terminal/io.js';
import type { RotateCommandOptions } from './rotation-options.js';

/** Says to which keys a rotation step commits the next root key. */
export function sayCommitment(
  io: Io,
  { thumbprint, nextRoots }: Pick<RootKey, 'thumbprint' | 'nextRoots'>,
): void {
  if (nextRoots === undefined) {
    say(
      io,
      `The step commits ${thumbprint} to no key: whoever steals it can rotate the registry to a key of their own.`,
    );
    say(io, 'To prevent that, name keys that you keep in other places with --commit.');
  } else say(io, `The step commits ${thumbprint}: only ${nextRoots.join(' or ')} can follow it.`);
}

/** Prints what a rotation will do, and what earlier runs have done. */
export function sayPlan(io: Io, plan: RemainingRotation, options: RotateCommandOptions): void {
  const { outgoing, next, makesKey, files, commits, checkpointBy, changes } = plan;
  const { out, folder, nextKey, nextSignerCommand } = options;
  const where = nextSignerCommand === undefined ? nextKey : 'the signing command';
  const at = (name: keyof typeof ROTATION_FILES) => join(folder, ROTATION_FILES[name]);
  const step = (isDone: boolean, what: string) => say(io, `${isDone ? 'done ' : 'to do'}  ${what}`);
  say(io, `This replaces the root key of ${out}:`);
  say(io, `from   ${outgoing.thumbprint}`);
  say(
    io,
    `to     ${next?.thumbprint ?? (makesKey ? `a new ${options.alg} key` : 'an encrypted key')}, in ${where}`,
  );
  const then = commits?.join(' or ') ?? 'any key may follow; to commit to keys, name them with --commit';
  const isOneOfThem = commits !== undefined && next === undefined && options.commit === undefined;
  say(io, `then   ${then}${isOneOfThem ? ', without the next key' : ''}`);
  say(io, '');
  if (makesKey) step(false, `make the next key, in ${where}: keep it safe, it is never overwritten`);
  else step(true, `the next key is in ${where}`);
  step(files.step !== undefined, `sign the step to the next key with the outgoing key: ${at('step')}`);
  const published =
    changes.length === 0 ? 'no change of records' : `${count(changes.length, 'changed issuer')}`;
  step(false, `build ${out} with the next key, with a checkpoint by the ${checkpointBy}: ${published}`);
  step(false, `verify ${out} as verifiers do that pinned the outgoing key`);
  say(io, '');
}

/** Returns the keys of a complete rotation by thumbprint, with those to which the step commits the next key. */
export function replacedKey(outgoing: RootKey | undefined, { thumbprint, nextRoots = [] }: RootKey) {
  return { outgoing: outgoing?.thumbprint, next: thumbprint, nextRoots };
}

/** How `keys rotate` was called. */
interface Call {
  readonly options: RotateCommandOptions;
  readonly command: Command;
  /** Whether the public root key of the configuration is the next key already. */
  readonly configured: boolean;
}

/** Prints what the operator does after a rotation. */
export function sayAfterRotation(
  io: Io,
  { outgoing = 'the outgoing key', next, nextRoots }: ReturnType<typeof replacedKey>,
  call: Call,
): void {
  const { out, folder } = call.options;
  const changes = changesOfSettings(call);
  const steps = [
    ...(changes.length === 0 ? [] : [['let the next commands use the next key:', ...changes]]),
    [
      `copy ${out} to the host, or save it on its branch and deploy, and verify it there with both public keys`,
      'verifiers that pinned the outgoing key follow the rotation in statements.json',
    ],
    [
      `publish the thumbprint ${next} wherever ${outgoing} is shown: new verifiers pin it`,
      ...(nextRoots.length === 0 ? [] : [`with what can follow it: ${nextRoots.join(' or ')}`]),
    ],
    [`keep the next key in two places, remove ${folder}, and destroy the outgoing key`],
  ];
  say(io, '');
  say(io, 'What to do next:');
  for (const [index, [first = '', ...more]] of steps.entries()) {
    say(io, `${index + 1}. ${first}`);
    for (const line of more) say(io, `   ${line}`);
  }
}

/** The file to replace, and the setting or the option that changes. */
function changesOfSettings({ options, command, configured }: Call): string[] {
  const { folder, nextKey, nextSignerCommand, settings } = options;
  const { root_key: rootKey, signer: { key } = {} } = settings;
  const next = join(folder, ROTATION_FILES.next);
  const isConfigured = hasSigner(settings) && command.getOptionValueSource('key') !== 'cli';
  const lines = [];
  if (rootKey === undefined) lines.push(`the public key: --root-key ${next}`);
  else if (!configured) lines.push(`the public key: cp ${next} ${shortPath(rootKey)}`);
  if (settings.next_roots !== undefined)
    lines.push('registry.yaml: remove next_roots, because the rotation says it now');
  const isSame = key !== undefined && nextKey !== undefined && resolve(key) === resolve(nextKey);
  if (isSame) return lines;
  const [setting, value] =
    nextSignerCommand === undefined ? ['key', nextKey] : ['command', 'the command of the next key'];
  if (isConfigured) {
    lines.push(
      `registry.yaml: signer: { ${setting}: ${value} }${key === undefined ? '' : ' in place of the outgoing key'}`,
    );
    if (key?.startsWith('env:'))
      lines.push(`or put the next key into the variable ${key.slice('env:'.length)}`);
  } else
    lines.push(
      `the private key: ${setting === 'key' ? `--key ${value}` : 'signer.command in registry.yaml, with the command of the next key'}`,
    );
  return lines;
}
