/** The columns by which the list can be sorted. */
export const SORTS = ['issuer_id', 'status', 'tier', 'certified_since'] as const;

/** What is looked for in the list. An empty text does not narrow. */
export interface Query {
  readonly text: string;
  readonly tier: string;
  readonly status: string;
  readonly geography: string;
  readonly domain: string;
  readonly passportType: string;
  readonly sort: (typeof SORTS)[number];
  readonly descending: boolean;
  /** From 1. */
  readonly page: number;
}

/** What the page shows: the list, or one issuer. */
export type Route =
  | { readonly kind: 'list'; readonly query: Query }
  | { readonly kind: 'issuer'; readonly id: string };

/** The whole list. */
export const EVERYTHING: Query = {
  text: '',
  tier: '',
  status: '',
  geography: '',
  domain: '',
  passportType: '',
  sort: 'issuer_id',
  descending: false,
  page: 1,
};

/** How the members of a query are called in an address. */
const NAMES = {
  text: 'q',
  tier: 'tier',
  status: 'status',
  geography: 'geography',
  domain: 'domain',
  passportType: 'type',
} as const;

/**
 * What an address asks for. It stands in the fragment, which no browser sends: what people look for stays with them, and
 * no cache keeps a copy of the page for every question.
 */
export function routeOf(fragment: string): Route {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''));
  const id = parameters.get('issuer');
  if (id !== null) return { kind: 'issuer', id };
  const text = (member: keyof typeof NAMES) => parameters.get(NAMES[member]) ?? '';
  const wanted = parameters.get('sort') ?? '';
  const sort = SORTS.find((name) => name === wanted.replace(/^-/, '')) ?? EVERYTHING.sort;
  const page = Number(parameters.get('page') ?? 1);
  return {
    kind: 'list',
    query: {
      text: text('text'),
      tier: text('tier'),
      status: text('status'),
      geography: text('geography'),
      domain: text('domain'),
      passportType: text('passportType'),
      sort,
      descending: wanted === `-${sort}`,
      page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    },
  };
}

/** The address of a list. */
export function listAddress(query: Partial<Query>): string {
  const { sort, descending, page, ...texts } = { ...EVERYTHING, ...query };
  const parameters = new URLSearchParams();
  for (const [member, name] of Object.entries(NAMES)) {
    const value = texts[member as keyof typeof NAMES];
    if (value !== '') parameters.set(name, value);
  }
  if (sort !== EVERYTHING.sort || descending) parameters.set('sort', `${descending ? '-' : ''}${sort}`);
  if (page !== 1) parameters.set('page', String(page));
  return `#${parameters}`;
}

/** The address of one issuer. */
export function issuerAddress(id: string): string {
  return `#${new URLSearchParams({ issuer: id })}`;
}
