import type { Command } from 'commander';
import { UsageError } from '../../generator/errors.js';
import { followUrl } from '../../generator/publishing/follow-url.js';
import { readPublished } from '../../generator/verification/read-published.js';
import { addOptions } from '../options/common-options.js';
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
  if (plan.done) {
    const keys = replacedKey(plan.outgoing, plan.next);
    if (json) emit(io, { ok: true, done: true, ...keys });
    say(io, `The rotation of ${out} is complete: its root key is ${keys.next}.`);
    sayAfterRotation(io, keys, { options, command, configured: plan.configured });
    return 0;
  }
  const newPassphrase = plan.makesKey ? await nextPassphrase(io, options) : undefined;
  sayPlan(io, plan, options);
  // The build asks again. Nobody should confirm what it would refuse.
  await followUrl({ rootKey: plan.outgoing, published: await readPublished(out) }, given.url);
  if (!options.yes) await confirm(io);
  const started = performance.now();
  const { outgoing, next, build } = await rotate(plan, { ...given, newPassphrase });
  const keys = replacedKey(outgoing, next);
  const code = codeOf(build);
  if (json) emit(io, { ok: code === 0, done: false, ...keys, build });
  sayBuilt(io, build, performance.now() - started);
  sayAfterRotation(io, keys, { options, command, configured: false });
  return code;
}

async function confirm(io: Io): Promise<void> {
  const answer = await ask(
    io,
    'Replace the root key? Only yes does: ',
    'there is no terminal to confirm the rotation: pass --yes after you have read the plan',
  );
  if (answer !== 'yes') throw new UsageError('the rotation was not confirmed: nothing was changed');
}
