import { NoUsableSource, type RegistryError } from '../core/errors.js';
import { asRegistryError, type HttpSource } from './http-files.js';
import {
  type Round,
  type RoundEvent,
  type RoundTurn,
  STAGGER_SHARE,
  startRound,
  stepRound,
} from './round.js';
import { Tasks } from './tasks.js';

/** How to ask a source. */
export interface Asking {
  /** Ends all requests, at the deadline of the source or at the end of the question. */
  readonly signal: AbortSignal;
  /** To be called before each retry. The next source is then asked, too. */
  readonly onRetry: (failure: RegistryError) => void;
}

/** Whom to ask, in this order, and for how long. */
interface AskedSources {
  readonly sources: readonly HttpSource[];
  /** The deadline of each source, in milliseconds. */
  readonly deadline: number;
  readonly onFailure: (source: string, error: RegistryError) => void;
}

/** A question under way. */
export interface AskedQuestion<T> {
  /** @throws {@link NoUsableSource}, also after `stop` */
  readonly answer: Promise<T>;
  stop(): void;
}

/** Asks sources for something. The first answer counts. */
export function askSources<T>(
  { sources, deadline, onFailure }: AskedSources,
  ask: (source: HttpSource, asking: Asking) => Promise<T>,
): AskedQuestion<T> {
  const tasks = new Tasks();
  let round: Round<T>;
  let end = () => {};
  const answer = new Promise<void>((resolve) => {
    end = resolve;
  }).then(() => {
    const { best, errors } = round;
    if (best === undefined) throw new NoUsableSource(errors);
    return best.answer;
  });

  let isStopped = false;
  const tell = (event: RoundEvent<T>) => {
    // The end of a request must not ask the next source.
    if (!isStopped) follow(stepRound(round, event));
  };
  const follow = (turn: RoundTurn<T>) => {
    round = turn.round;
    for (const [source, error] of turn.stopped ?? []) {
      tasks.stop(source);
      if (error !== undefined) onFailure(source, error);
    }
    if (turn.ask !== undefined) askSource(turn.ask);
    else if (round.asked.size === 0) end();
  };
  const askSource = (source: string) => {
    tasks.wake(source, deadline * STAGGER_SHARE, () => tell({ is: 'slow', source }));
    tasks.wake(source, deadline, () => tell({ is: 'overdue', source }));
    const signal = tasks.signalOf(source);
    const onRetry = (error: RegistryError) => tell({ is: 'asked again', source, error });
    ask(sources.find(({ base }) => base === source) as HttpSource, { signal, onRetry }).then(
      (answer) => {
        tasks.stop(source);
        tell({ is: 'answered', source, answer, isDecisive: true, isBetter: true });
      },
      (thrown) => tell({ is: 'failed', source, error: asRegistryError(thrown) }),
    );
  };
  follow(startRound(sources.map(({ base }) => base)));
  const stop = () => {
    isStopped = true;
    tasks.stop();
    end();
  };
  return { answer, stop };
}
