/** One question for several sources. The sources are asked one after the other, and in parallel if a source is slow. */
export interface StaggeredQuestion<T> {
  /** The number of sources. */
  readonly count: number;
  /**
   * Asks a source.
   *
   * @param giveWay - asks the next source at once. A failure and the end of `staggerMs` have the same effect
   */
  readonly ask: (index: number, giveWay: () => void) => Promise<T>;
  /** How long to wait before also asking the next source, in milliseconds. */
  readonly staggerMs: number;
  /** After this time, the best answer so far wins, or the next answer if there is none so far. */
  readonly timeoutMs: number;
  /** Returns whether an answer ends the wait at once. */
  readonly isDecisive: (answer: T) => boolean;
  /** Returns whether an answer is better than the best answer so far. */
  readonly isBetter: (answer: T, best: T) => boolean;
}

/**
 * Asks sources until a decisive answer arrives. After an answer that is not decisive, no more sources are asked, and
 * the best answer of the sources already asked wins.
 *
 * @returns undefined if every source has failed. The caller must stop the sources that are still busy
 */
export function askStaggered<T>(question: StaggeredQuestion<T>): Promise<T | undefined> {
  const { count, ask, staggerMs, timeoutMs, isDecisive, isBetter } = question;
  return new Promise((resolve) => {
    let asked = 0;
    let busy = 0;
    let best: { readonly answer: T } | undefined;
    let over = false;
    let isLate = false;
    const timers = new Set<ReturnType<typeof setTimeout>>();

    const after = (milliseconds: number, work: () => void) => {
      timers.add(setTimeout(work, milliseconds));
    };
    const end = () => {
      over = true;
      for (const timer of timers) clearTimeout(timer);
      resolve(best?.answer);
    };
    const askNext = () => {
      if (over || best !== undefined || asked === count) return;
      const index = asked++;
      busy += 1;
      let gaveWay = false;
      const giveWay = () => {
        if (!gaveWay) askNext();
        gaveWay = true;
      };
      after(staggerMs, giveWay);
      ask(index, giveWay)
        .then(
          (answer) => {
            if (best === undefined || isDecisive(answer) || isBetter(answer, best.answer)) best = { answer };
            return isDecisive(answer) || isLate;
          },
          () => {
            giveWay();
            return false;
          },
        )
        .then((isEnough) => {
          busy -= 1;
          if (!over && (isEnough || busy === 0)) end();
        });
    };

    after(timeoutMs, () => {
      isLate = true;
      if (best !== undefined) end();
    });
    askNext();
    if (count === 0) end();
  });
}
