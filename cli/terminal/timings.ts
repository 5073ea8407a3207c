import type { OnStage } from '../../generator/progress.js';
import type { Invocation, Io } from './io.js';
import { say } from './output.js';

/** The duration of a stage. */
interface Timing {
  readonly stage: string;
  readonly milliseconds: number;
}

/** Measures the duration of stages. The first stage is the start-up of the program. */
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

/** Prints a table of the stages and their sum. */
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
