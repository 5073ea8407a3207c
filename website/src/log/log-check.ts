import type { RegistryClient } from '@passport-registry/verifier';
import { NotVerified, notVerified } from '../registry/verified-registry.js';
import { issuerHistoryView } from './issuer-history-view.js';
import { hideLog, showLogged, showUnlogged } from './log-panel.js';
import { type LoggedList, readLog } from './verified-log.js';

/** What the page knows of the log, and what it shows of it: the panel, and the history of one issuer. */
export class LogCheck {
  readonly #base: URL;
  readonly #origin: string | undefined;
  /** Later states of the log must continue this one. */
  #continued: LoggedList | undefined;
  #verdict: LoggedList | NotVerified | null | undefined;
  #isRunning = false;
  /** The history that is shown. Reading it takes time, so a new view of the same issuer keeps it. */
  #history:
    | { readonly id: string; readonly of: string | null | undefined; readonly element: HTMLElement }
    | undefined;

  /** @param origin - the name of the log in which the lists must be. Undefined if they need not be in a log */
  constructor(base: URL, origin: string | undefined) {
    this.#base = base;
    this.#origin = origin;
  }

  /**
   * The newest state of the log that was verified. Null if the registry has no log, by what its root key has signed.
   * Undefined if nothing was verified.
   */
  get accepted(): LoggedList | null | undefined {
    return this.#verdict instanceof NotVerified ? undefined : this.#verdict;
  }

  /** Whether the host failed to prove that the list is in the log. */
  get isRefused(): boolean {
    return this.#verdict instanceof NotVerified;
  }

  /** Names the publication that is proven to be logged, and its place. Null and undefined as for `accepted`. */
  get proven(): string | null | undefined {
    const verdict = this.accepted;
    return verdict && `${verdict.sha256} ${verdict.head.index}`;
  }

  /**
   * Checks that the list of a registry is logged. A check that is running goes on until its verdict is about the list that
   * is shown.
   */
  async run(registry: RegistryClient): Promise<void> {
    // While the host cannot be reached, nothing new is known of the log, and the page says that the host failed.
    if (this.#isRunning || Object.keys(registry.status().errors).length > 0) return;
    this.#isRunning = true;
    try {
      for (let sha256 = ''; sha256 !== registry.sha256; ) {
        sha256 = registry.sha256;
        this.#verdict = await readLog(this.#base, registry, {
          origin: this.#origin,
          accepted: this.#continued,
        }).catch(notVerified);
      }
    } finally {
      this.#isRunning = false;
    }
    if (!(this.#verdict instanceof NotVerified)) this.#continued = this.#verdict ?? undefined;
  }

  /** Shows the verdict. */
  show(): void {
    const verdict = this.#verdict;
    if (!verdict) hideLog();
    else if (verdict instanceof NotVerified) showUnlogged(verdict);
    else showLogged(verdict);
  }

  /** Withdraws the verdict: it is not about the list that is shown now. */
  withdraw(): void {
    this.#verdict = undefined;
    hideLog();
  }

  /**
   * Returns the history of an issuer. Undefined if nothing proves that the list is logged.
   *
   * @param attempt - runs work only while the list may be used
   */
  history(
    id: string,
    registry: RegistryClient,
    attempt: (work: () => void) => void,
  ): HTMLElement | undefined {
    const verdict = this.accepted;
    if (!verdict) return undefined;
    const held = this.#history;
    if (held?.id === id && held.of === this.proven) return held.element;
    const issuer = registry.resolve(id);
    const made = issuerHistoryView({ base: this.#base, id, issuer, logged: verdict }, (work) =>
      attempt(() => {
        // Throws if the list has become too old since.
        registry.resolve(id);
        work();
      }),
    );
    this.#history = { id, of: this.proven, element: made };
    return made;
  }
}
