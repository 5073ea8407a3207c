import type { RegistryClient } from '@passport-registry/verifier';
import { NotVerified, notVerified } from '../registry/verified-registry.js';
import { hideLog, showLogged, showUnlogged } from './log-panel.js';
import { type LoggedList, readLog } from './verified-log.js';

/** What the page knows of the log, and what it shows of it. */
export class LogCheck {
  readonly #base: URL;
  readonly #origin: string | undefined;
  /** Later states of the log must continue this one. */
  #continued: LoggedList | undefined;
  /** Null if the registry has no log, by what its root key has signed. Undefined if nothing was verified. */
  #verdict: LoggedList | NotVerified | null | undefined;
  #isRunning = false;

  /** @param origin - the name of the log in which the lists must be. Undefined if they need not be in a log */
  constructor(base: URL, origin: string | undefined) {
    this.#base = base;
    this.#origin = origin;
  }

  /** Whether the list is proven to be in the log. */
  get isProven(): boolean {
    return Boolean(this.#verdict) && !this.isRefused;
  }

  /** Whether the host failed to prove that the list is in the log. */
  get isRefused(): boolean {
    return this.#verdict instanceof NotVerified;
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
}
