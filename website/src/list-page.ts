import type { Registry, RegistryClient } from '@passport-registry/verifier';
import { type Changes, vouchedChanges } from './changes.js';
import { addressed } from './commands.js';
import { counts } from './counts.js';
import { byId, element } from './element.js';
import { historyView } from './history-view.js';
import { issuerView, unknownIssuerView } from './issuer-view.js';
import { ListView } from './list-view.js';
import { listAddress, type Query, routeOf } from './route.js';
import { showChecking, showFailure, showVerified } from './verification-view.js';
import { notVerified, verifiedRegistry } from './verified-registry.js';

const TITLE = document.title;

/** The page at the registry's address: nothing of the registry is shown before it is verified, or when it ceases to be. */
export class ListPage {
  readonly #base: URL;
  readonly #pinned: string;
  #registry: RegistryClient | undefined;
  #list: ListView | undefined;
  readonly #overview = element('div', { class: 'overview' });
  #changes: Changes | undefined;
  /** The payload hash of the list that is shown. */
  #shown = '';

  constructor(base: URL, pinned: string) {
    this.#base = base;
    this.#pinned = pinned;
  }

  async start(): Promise<void> {
    showChecking();
    this.#show('Issuers');
    for (const code of document.querySelectorAll('.commands')) {
      code.textContent = addressed(this.#base, code.textContent ?? '');
    }
    try {
      this.#registry = await verifiedRegistry(this.#base, this.#pinned, () => this.#followEvents());
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#attempt(() => this.#renew());
    addEventListener('hashchange', () => this.#attempt(() => this.#go(true)));
    addEventListener('beforeprint', () => this.#attempt(() => this.#list?.showWhole()));
    addEventListener('afterprint', () => this.#attempt(() => this.#go(false)));
  }

  /** Whatever is asked of a registry that has grown too old is refused: then nothing of it may go on being shown. */
  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The client has asked again: what it holds may be new, or old by now. */
  #followEvents(): void {
    const registry = this.#registry;
    if (registry === undefined) return;
    this.#attempt(() => {
      if (registry.sha256 === this.#shown) this.#sayVerified(registry);
      else this.#renew();
    });
  }

  #renew(): void {
    const registry = this.#registry;
    if (registry === undefined) return;
    this.#shown = registry.sha256;
    this.#list = new ListView(registry, (query, typing) => this.#attempt(() => this.#ask(query, typing)));
    this.#sayVerified(registry);
    this.#drawOverview(registry);
    this.#go(false);
    void this.#loadChanges(registry);
  }

  #sayVerified(registry: RegistryClient): void {
    showVerified(registry, this.#pinned, registry.list().length);
  }

  /** After the list, since it takes the checksums of the whole tree. */
  async #loadChanges(registry: RegistryClient): Promise<void> {
    this.#changes = await vouchedChanges(this.#base, registry.status().treeSha256);
    if (this.#registry !== registry) return;
    this.#attempt(() => {
      this.#drawOverview(registry);
      // The list stays as it is, with whatever the reader is about to type.
      if (routeOf(location.hash).kind === 'issuer') this.#go(false);
    });
  }

  #fail(error: unknown): void {
    this.#registry?.close();
    this.#registry = undefined;
    this.#list = undefined;
    this.#changes = undefined;
    document.title = `Not verified: ${TITLE}`;
    showFailure(notVerified(error));
    this.#show('Issuers', element('p', {}, 'Nothing is shown, since nothing could be verified.'));
  }

  #ask(query: Query, typing: boolean): void {
    const address = listAddress(query);
    if (typing) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    this.#list?.show(query);
  }

  /** Shows what the address asks for. @param moved - whether the reader has just gone there */
  #go(moved: boolean): void {
    const [registry, list] = [this.#registry, this.#list];
    if (registry === undefined || list === undefined) return;
    const route = routeOf(location.hash);
    if (route.kind === 'list') {
      document.title = TITLE;
      list.show(route.query);
      this.#show('Issuers', this.#overview, list.element);
    } else {
      const issuer = registry.resolve(route.id);
      document.title = `${route.id}: ${TITLE}`;
      this.#show(
        route.id,
        issuer === undefined ? unknownIssuerView(route.id, registry) : issuerView(issuer, this.#changes),
      );
    }
    if (moved) byId('main').focus();
  }

  #drawOverview(registry: Registry): void {
    const issuers = registry.list();
    this.#overview.replaceChildren(counts(issuers), historyView(issuers, this.#changes));
  }

  #show(title: string, ...content: HTMLElement[]): void {
    byId('title').textContent = title;
    byId('view').replaceChildren(...content);
  }
}
