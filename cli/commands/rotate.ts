import type { Command } from 'commander';
import { AlreadyPublished, UsageError } from '../../generator/errors.js';
import { type PublishedTree, readPublished } from '../../generator/tree/published-tree.js';
import { assertFollowsHost } from '../hosts/follows-host.js';
import { rememberThief } from '../hosts/over-thief.js';
import { addOptions } from '../options/common-options.js';
import { cosignChoice } from '../options/publication-options.js';
import { planRotation } from '../rotating/plan.js';
import { rotate } from '../rotating/rotate.js';
import { ask } from '../terminal/ask.js';
import { emit, type Io, say } from '../terminal/io.js';
import { codeOf, sayBuilt } from '../terminal/say-built.js';
import {
  nextPassphrase,
  planChoice,
  ROTATION_OPTIONS,
  type RotateCommandOptions,
} from './rotation-options.js';
import { replacedKey, sayAfterRotation, sayPlan } from './say-rotation.js';

/** `passport-registry keys rotate` */
export function declareRotate(command: Command, io: Io) {
  addOptions(command, ...ROTATION_OPTIONS);
  return (options: RotateCommandOptions) => rotateRootKey(io, options, command);
}

async function rotateRootKey(io: Io, options: RotateCommandOptions, command: Command): Promise<number> {
  const given = await planChoice(io, options);
  const plan = await planRotation(given);
  const { out, json } = options;
  const published = await readPublished(out);
  if (plan.done) {
    const keys = replacedKey(plan.outgoing, plan.next);
    if (json) emit(io, { ok: true, done: true, ...keys });
    say(io, `The rotation of ${out} is complete: its root key is ${keys.next}.`);
    sayAfterRotation(io, keys, { options, command, configured: plan.configured });
    return 0;
  }
  const newPassphrase = plan.makesKey ? await nextPassphrase(io, options) : undefined;
  sayPlan(io, plan, options);
  const doubt = await doubtOf(io, published, options);
  const isThief = doubt instanceof AlreadyPublished;
  if (isThief) await confirmThief(io, doubt);
  else {
    if (doubt !== undefined) say(io, `WARNING: ${doubt}`);
    if (!options.yes) await confirm(io);
  }
  const started = performance.now();
  const { outgoing, next, build } = await rotate(plan, { ...given, newPassphrase });
  if (isThief) rememberThief(next.thumbprint);
  const keys = replacedKey(outgoing, next);
  const code = codeOf(build);
  if (json) emit(io, { ok: code === 0, done: false, ...keys, build });
  sayBuilt(io, build, performance.now() - started);
  sayAfterRotation(io, keys, { options, command, configured: false });
  return code;
}

/** Returns why nobody may know whether the tree continues what the host serves, or the error if it does not. */
async function doubtOf(
  { env }: Io,
  published: PublishedTree | undefined,
  { settings, config }: RotateCommandOptions,
): Promise<string | AlreadyPublished | undefined> {
  if (published === undefined) return undefined;
  try {
    const { witnesses } = cosignChoice(settings);
    return await assertFollowsHost({ published, settings, env, config, witnesses });
  } catch (error) {
    if (error instanceof AlreadyPublished) return error;
    throw error;
  }
}

/** Whoever has stolen the root key can publish another list. That is no reason against a rotation, but a colleague's list is. */
async function confirmThief(io: Io, error: AlreadyPublished): Promise<void> {
  say(io, `WARNING: ${error.message}`);
  const answer = await ask(
    io,
    'If a thief of the root key has published that, and none of you, answer thief: ',
    `${error.message}. Only if a thief of the root key has published that, run this in a terminal, and answer thief`,
  );
  if (answer !== 'thief') throw error;
}

async function confirm(io: Io): Promise<void> {
  const answer = await ask(
    io,
    'Replace the root key? Only yes does: ',
    'there is no terminal to confirm the rotation: pass --yes after you have read the plan',
  );
  if (answer !== 'yes') throw new UsageError('the rotation was not confirmed: nothing was changed');
}
