import type { RootKey } from '@passport-registry/verifier';
import type { ChangedSettings } from '../rotating/change-settings.js';
import type { RotationPlan } from '../rotating/plan.js';
import { count, type Io, say } from '../terminal/io.js';

/** What the plan shows of the options. */
interface PlanOptions {
  readonly out: string;
  readonly nextKey?: string;
  readonly commit?: readonly string[];
}

/** Prints what a rotation will do. */
export function sayPlan(io: Io, plan: RotationPlan, options: PlanOptions): void {
  const { outgoing, next, commits, isOnline, changes } = plan;
  const { out, nextKey } = options;
  const then = commits?.join(' or ') ?? 'any key may follow; to commit to keys, name them with --commit';
  const isOneOfThem = commits !== undefined && next === undefined && options.commit === undefined;
  const published = changes.length === 0 ? 'no change of records' : count(changes.length, 'changed issuer');
  say(io, `This replaces the root key of ${out}:`);
  say(io, `from   ${outgoing.thumbprint}`);
  say(io, `to     ${next?.thumbprint ?? 'an encrypted key'}, in ${nextKey}`);
  say(io, `then   ${then}${isOneOfThem ? ', without the next key' : ''}`);
  say(io, `with   ${published}, and a checkpoint by the ${isOnline ? 'online' : 'next'} key`);
}

/** A rotation, and what it has changed. */
interface Rotated {
  readonly outgoing: string;
  /** With the keys to which the step commits it. */
  readonly next: RootKey;
  readonly settings: ChangedSettings;
}

/** Prints what a rotation has changed in the settings, and what the operator does next. */
export function sayAfterRotation(
  io: Io,
  { outgoing, next: { thumbprint, nextRoots = [] }, settings: { changed, left } }: Rotated,
): void {
  if (changed.length > 0) say(io, `changed    ${changed.join(', ')}: the settings name the next key`);
  const shown = nextRoots.length === 0 ? '' : `, with what can follow it: ${nextRoots.join(' or ')}`;
  const steps = [
    ...left,
    'publish the tree: verifiers that pinned the outgoing key follow the rotation',
    `publish the thumbprint ${thumbprint} wherever ${outgoing} is shown${shown}`,
    'keep the next key in two places, and destroy the outgoing key once all hosts serve the new tree',
  ];
  say(io, '');
  say(io, 'What to do next:');
  for (const [index, step] of steps.entries()) say(io, `${index + 1}. ${step}`);
}
