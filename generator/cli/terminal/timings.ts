import type { OnStage } from '../../progress.js';
import type { Invocation, Io } from './io.js';
import { say } from './output.js';

/** How long a stage took. */
interface Timing {
  readonly stage: string;
  readonly milliseconds: number;
}

/** Times stages, from the start of the program on: what it takes to load it is the first. */
export function stopwatch({ startedAt }: Invocation): {
  readonly timings: readonly Timing[];
  readonly onStage: OnStage;
} {
  const timings: Timing[] = [];
  let since = startedAt;
  const onStage: OnStage = (stage) => {
    const now = performance.now();
    timings.push({ stage, milliseconds: now - since });
    since = now;
  };
  onStage('start-up');
  return { timings, onStage };
}

/** A table of the stages, and of all together. */
export function sayTimings(io: Io, timings: readonly Timing[]): void {
  const whole = timings.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  for (const { stage, milliseconds } of [...timings, { stage: 'whole', milliseconds: whole }]) {
    say(
      io,
      `${stage.padEnd(18)} ${(milliseconds / 1000).toFixed(3).padStart(8)} s ${percent(milliseconds / whole)}`,
    );
  }
}

const percent = (share: number) => `${Math.round(share * 100)} %`.padStart(5);
