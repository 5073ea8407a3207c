import { NoUsableSource, type RegistryError } from '../core/errors.js';
import type { AcceptedStatements } from '../core/publication/statements.js';
import { asRegistryError, type HttpSource } from './http-files.js';
import type { RefreshingRegistry } from './refreshing-registry.js';
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

/** A question under way. */
export interface AskedQuestion<T> {
  /** @throws {@link NoUsableSource}, also after `stop` */
  readonly answer: Promise<T>;
  stop(): void;
}

/** Asks the sources of a client for something. The first answer counts. */
export function askSources<T>(
  client: Pick<RefreshingRegistry<AcceptedStatements>, 'sources' | 'deadline' | 'report'>,
  ask: (source: HttpSource, asking: Asking) => Promise<T>,
): AskedQuestion<T> {
  const { deadline } = client;
  const sources = client.sources();
  const tasks = new Tasks();
  let round: Round<T>;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const answer = ended.then(() => {
    const { found, errors } = round;
    if (found === undefined) throw new NoUsableSource(errors);
    return found.answer;
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
      if (error !== undefined) client.report(source, error);
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
        tell({ is: 'answered', source, answer });
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
