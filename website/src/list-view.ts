import { type Issuer, type Registry, STATUSES, TIERS } from '@passport-registry/verifier';
import { type Child, element } from './element.js';
import { EVERYTHING, issuerFragment, listFragment, type Query, SORTS } from './route.js';
import { searchIssuers, valuesOf } from './search.js';
import { type ShownStatus, shownStatus, statusClass, statusMark } from './status-mark.js';

const ROWS_PER_PAGE = 100;

/** The list with its controls. One instance shows one list, for any query. */
export class ListView {
  readonly element: HTMLElement;
  readonly #registry: Registry;
  readonly #onQuery: (query: Query, typing: boolean) => void;
  readonly #controls = new Map<Filter['member'], HTMLInputElement | HTMLSelectElement>();
  readonly #results = element('div');
  readonly #count = element('p', { role: 'status', class: 'count' });
  #query = EVERYTHING;

  /** @param onQuery - called after each change by the reader; `typing` is true while the reader types a search */
  constructor(registry: Registry, onQuery: (query: Query, typing: boolean) => void) {
    this.#registry = registry;
    this.#onQuery = onQuery;
    this.element = element('div', {}, this.#form(), this.#count, this.#results);
  }

  show(query: Query): void {
    this.#query = query;
    for (const [member, control] of this.#controls) {
      if (control.value !== query[member]) control.value = query[member];
    }
    this.#render(ROWS_PER_PAGE);
  }

  /** Shows all matching issuers on one page, for printing. */
  showAll(): void {
    this.#render(Number.POSITIVE_INFINITY);
  }

  #render(rows: number): void {
    const issuers = searchIssuers(this.#registry, this.#query);
    const pages = Math.max(1, Math.ceil(issuers.length / rows));
    const page = Math.min(this.#query.page, pages);
    const from = rows === Number.POSITIVE_INFINITY ? 0 : (page - 1) * rows;
    const all = this.#registry.list().length;
    const number = (value: number) => value.toLocaleString('en');
    this.#count.textContent =
      issuers.length === all
        ? `All ${number(all)} issuers.`
        : `${number(issuers.length)} of ${number(all)} issuers.`;
    this.#results.replaceChildren(
      issuers.length === 0
        ? element('p', {}, 'No matching issuers. ', element('a', { href: listFragment({}) }, 'Show all'))
        : this.#table(issuers.slice(from, from + rows)),
      ...(pages > 1 ? [this.#pager(page, pages)] : []),
    );
  }

  #form(): HTMLFormElement {
    const form = element(
      'form',
      { role: 'search', class: 'controls' },
      FILTERS.map((filter) => this.#control(filter)),
      element('button', { type: 'reset' }, 'Clear'),
    );
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('reset', () => this.#onQuery(EVERYTHING, false));
    return form;
  }

  #control({ member, label, values }: Filter): Child {
    const id = `filter-${member}`;
    const control =
      values === undefined ? element('input', { id, type: 'search' }) : this.#choice(id, values);
    this.#controls.set(member, control);
    control.addEventListener('input', () => {
      this.#onQuery({ ...this.#query, [member]: control.value, page: 1 }, values === undefined);
    });
    return element('div', {}, element('label', { for: id }, label), control);
  }

  #choice(id: string, values: NonNullable<Filter['values']>): HTMLSelectElement {
    const options = values(this.#registry.list()).map(([value, text]) => element('option', { value }, text));
    return element('select', { id }, element('option', { value: '' }, 'any'), options);
  }

  #table(issuers: readonly Issuer[]): HTMLElement {
    return element(
      'table',
      { class: 'issuers' },
      element('caption', { class: 'unseen' }, 'Issuers'),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          COLUMNS.map((column) => this.#heading(column)),
        ),
      ),
      element(
        'tbody',
        {},
        issuers.map((issuer) => row(issuer, shownStatus(issuer, this.#registry.hold))),
      ),
    );
  }

  #heading({ name, title, kind }: Column): HTMLElement {
    const sort = SORTS.find((one) => one === name);
    if (sort === undefined) return element('th', { scope: 'col', class: kind }, title);
    const { sort: current, descending } = this.#query;
    const direction = sort !== current ? 'none' : descending ? 'descending' : 'ascending';
    const arrow = { none: '', ascending: ' ▲', descending: ' ▼' }[direction];
    const query = { ...this.#query, sort, descending: sort === current && !descending, page: 1 };
    const button = element(
      'button',
      { type: 'button' },
      title,
      element('span', { 'aria-hidden': 'true' }, arrow),
    );
    button.addEventListener('click', () => {
      this.#onQuery(query, false);
      // The table was replaced. Restores the focus for readers who use the keyboard.
      this.#results.querySelector<HTMLElement>(`th[data-sort="${sort}"] button`)?.focus();
    });
    return element('th', { scope: 'col', class: kind, 'aria-sort': direction, 'data-sort': sort }, button);
  }

  #pager(page: number, pages: number): HTMLElement {
    const link = (target: number, text: string) =>
      target < 1 || target > pages
        ? element('span', { class: 'none' }, text)
        : element('a', { href: listFragment({ ...this.#query, page: target }) }, text);
    return element(
      'nav',
      { class: 'pager', 'aria-label': 'Pages' },
      link(page - 1, '← Previous'),
      element('span', {}, `Page ${page} of ${pages}`),
      link(page + 1, 'Next →'),
    );
  }
}

interface Filter {
  readonly member: 'text' | 'tier' | 'status' | 'geography' | 'domain' | 'passportType';
  readonly label: string;
  /** The choices, each as a value and a label. Undefined for a text field. */
  readonly values?: (issuers: readonly Issuer[]) => (readonly [string, string])[];
}

const named = (values: readonly string[]) => values.map((value) => [value, value] as const);

const FILTERS: readonly Filter[] = [
  { member: 'text', label: 'Search' },
  { member: 'tier', label: 'Tier', values: () => named(TIERS) },
  { member: 'status', label: 'Status', values: () => named(STATUSES) },
  {
    member: 'geography',
    label: 'Place',
    values: (issuers) => valuesOf(issuers, 'geographical_scope').map((code) => [code, placeName(code)]),
  },
  { member: 'domain', label: 'Domain', values: (issuers) => named(valuesOf(issuers, 'domain_scope')) },
  {
    member: 'passportType',
    label: 'Passport type',
    values: (issuers) => named(valuesOf(issuers, 'passport_types')),
  },
];

const regions = new Intl.DisplayNames(['en'], { type: 'region' });

function placeName(code: string): string {
  if (code === 'global') return 'global';
  const [country = '', part] = code.split('-');
  const name = (/^[A-Z]{2}$/.test(country) && regions.of(country)) || country;
  return part === undefined ? `${code} ${name}` : `${code} (${name})`;
}

interface Column {
  readonly name: string;
  readonly title: string;
  /** A wide column is hidden on narrow screens. */
  readonly kind?: 'wide';
}

const COLUMNS: readonly Column[] = [
  { name: 'issuer_id', title: 'Issuer' },
  { name: 'status', title: 'Status' },
  { name: 'tier', title: 'Tier' },
  { name: 'certified_since', title: 'Certified since', kind: 'wide' },
  { name: 'geographical_scope', title: 'Places', kind: 'wide' },
  { name: 'domain_scope', title: 'Domains', kind: 'wide' },
];

function row(issuer: Issuer, status: ShownStatus): HTMLElement {
  const { issuer_id, tier, certified_since, geographical_scope, domain_scope } = issuer;
  return element(
    'tr',
    { class: statusClass(status) },
    element('th', { scope: 'row' }, element('a', { href: issuerFragment(issuer_id) }, issuer_id)),
    element('td', {}, statusMark(status)),
    element('td', {}, tier),
    element('td', { class: 'wide' }, certified_since.slice(0, 10)),
    element('td', { class: 'wide' }, abbreviate(geographical_scope)),
    element('td', { class: 'wide' }, abbreviate(domain_scope)),
  );
}

/** Joins the first four values, and adds the number of the others. */
function abbreviate(values: readonly string[] | undefined): string {
  if (values === undefined) return '';
  const shown = values.slice(0, 4).join(', ');
  return values.length > 4 ? `${shown} +${values.length - 4}` : shown;
}
