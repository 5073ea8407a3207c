import { PATHS } from './paths.js';

/** A kind of file in a tree (rules tree-files, other-files). */
interface FileKind {
  /** The path. `*` stands for one segment, and a final `**` for several. No two paths with a type match the same file. */
  readonly path: string;
  /** What the star stands for, as a regular expression. Default: anything, as for the files that a log proves. */
  readonly star?: string;
  /** What proves the bytes of the file, and lists it. Default: `SHA256SUMS`. */
  readonly listedIn?: Listing;
  /** The Content-Type that hosts are told to send. Undefined: any will do. */
  readonly type?: string;
  /** When the file changes, which says how long caches may keep it. Default: with each publication. */
  readonly changes?: 'with a release' | 'never';
  /** Whether the file configures hosts. A host may hide or transform it, so checks over HTTP skip it. */
  readonly isHostFile?: boolean;
}

/**
 * `sums`: the tree of sums lists the records, and the sums files below its root (rule tree-of-sums). `log`: a log proves its own
 * files (rule log-audit). `nothing`: SHA256SUMS cannot list itself, nor the checkpoint in statements.json, which contains its hash
 * (rule checksums-form). The root key proves the signature, and the name of a list is its hash.
 */
type Listing = 'SHA256SUMS' | 'sums' | 'log' | 'nothing';

/** The content types that are not those of a single file. */
export const TYPES = {
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
  jwt: 'application/jwt',
  page: 'text/html; charset=utf-8',
  script: 'text/javascript; charset=utf-8',
} as const;

const ID = '[\\da-z][\\d._a-z-]*';
const HASH = '[\\da-f]{64}';
/** The name of an asset of any version. */
const ASSET = '(?:parts/)?[\\dA-Za-z-]+\\.(?:css|ico|js|json|png|svg|txt|webp|woff2)';

/** Every file that this version or an earlier one writes, in the order of the rules for hosts. */
export const FILE_KINDS: readonly FileKind[] = [
  { path: PATHS.page, type: TYPES.page },
  { path: PATHS.asset('registry.js'), type: TYPES.script },
  { path: PATHS.asset('parts/*'), star: '[\\dA-Za-z-]+\\.js', type: TYPES.script },
  { path: PATHS.asset('registry.css'), type: 'text/css; charset=utf-8' },
  { path: PATHS.asset('icon.svg'), type: 'image/svg+xml' },
  { path: PATHS.asset('logo.svg'), type: 'image/svg+xml' },
  { path: PATHS.asset('logo.png'), type: 'image/png' },
  { path: PATHS.asset('licences.txt'), type: TYPES.text },
  { path: PATHS.changes, type: TYPES.json },
  { path: PATHS.list, type: TYPES.json },
  { path: PATHS.signature, type: TYPES.text, listedIn: 'nothing' },
  { path: 'issuers/*', star: ID, type: TYPES.json, listedIn: 'sums' },
  { path: PATHS.rootKey, type: TYPES.json },
  { path: PATHS.statements, type: TYPES.json, listedIn: 'nothing' },
  { path: PATHS.about, type: TYPES.json },
  { path: 'sums/*', star: 'root|[\\da-f]+', type: TYPES.text, listedIn: 'sums' },
  // It proves the others. Hosts serve it by the rule above.
  { path: 'sums/root', listedIn: 'SHA256SUMS' },
  { path: 'lists/*', star: `${HASH}\\.json`, type: TYPES.json, listedIn: 'nothing', changes: 'never' },
  { path: PATHS.logHead, type: TYPES.text, listedIn: 'log' },
  { path: 'log/statements/*', type: TYPES.jwt, listedIn: 'log', changes: 'never' },
  { path: 'log/tile/**', type: 'application/octet-stream', listedIn: 'log', changes: 'never' },
  { path: PATHS.checksums, type: TYPES.text, listedIn: 'nothing' },
  {
    path: 'schemas/*',
    star: '[a-z-]+\\.(?:openapi|schema)\\.json',
    type: TYPES.json,
    changes: 'with a release',
  },
  // Only the version that writes these files knows their types.
  { path: 'assets/**', star: ASSET },
  { path: PATHS.developmentMark },
  { path: 'serve.json', isHostFile: true },
  { path: '_headers', isHostFile: true },
  { path: '.htaccess', isHostFile: true },
  { path: 'issuers/.htaccess', isHostFile: true },
  // No version writes this one, but the protocol permits it.
  { path: 'log/.htaccess', isHostFile: true },
  { path: 'sums/.htaccess', isHostFile: true },
  { path: '.nojekyll', isHostFile: true },
  { path: 'vercel.json', isHostFile: true },
  // Some hosts serve this page only for missing files.
  { path: '404.html', isHostFile: true },
];

const NAMED = new Map(FILE_KINDS.filter(({ path }) => !path.includes('*')).map((kind) => [kind.path, kind]));
const STARRED = FILE_KINDS.filter(({ path }) => path.includes('*')).map((kind) => ({
  kind,
  form: formOf(kind),
}));

function formOf({ path, star }: FileKind): RegExp {
  const stands = star ?? (path.endsWith('**') ? '.+' : '[^/]+');
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\*+/, () => `(?:${stands})`)}$`);
}

/** What lists the files of a folder, those included that no version writes. */
const FOLDERS = new Map(STARRED.map(({ kind: { path, listedIn } }) => [folderOf(path), listedIn]));

/** The top folder of a path, with a slash. Empty for a file in the top folder. */
function folderOf(path: string): string {
  return path.slice(0, path.indexOf('/') + 1);
}

function listingOf(path: string): Listing {
  const kind = NAMED.get(path);
  if (kind !== undefined) return kind.listedIn ?? 'SHA256SUMS';
  const folder = folderOf(path);
  // A name that begins with a dot is that of a host's file, never of a record.
  const isHidden = path[folder.length] === '.';
  return (isHidden ? undefined : FOLDERS.get(folder)) ?? 'SHA256SUMS';
}

/** Whether SHA256SUMS lists a path. */
export const isChecksummed = (path: string) => listingOf(path) === 'SHA256SUMS';

/** Whether nothing lists a path. */
export const isUnlisted = (path: string) => listingOf(path) === 'nothing';

/** Whether a path is that of a file of the log. */
export const isLogPath = (path: string) => listingOf(path) === 'log';

/** Whether a path is that of a file that configures hosts (rule host-files). */
export const isHostFile = (path: string) => NAMED.get(path)?.isHostFile === true;

/** Returns the content type, without parameters, that a host must send for a path; undefined if any type will do. */
export function expectedType(path: string): string | undefined {
  const type = NAMED.get(path)?.type ?? STARRED.find(({ form }) => form.test(path))?.kind.type;
  return type?.split(';')[0];
}

/**
 * The form of the files that later versions may add: in the top folder, in lower case, with one ending of data. No host
 * reads such a file as configuration, runs it, or serves it instead of a known file, apart from those named here.
 */
const ADDED_FILE = /^[\da-z][\da-z-]{0,63}\.(?:json|jwt|sig|tlog-proof|txt)$/;

/** Names in that form that hosts and their build tools, or browsers and crawlers, read. */
const READ_BY_OTHERS = new Set(
  `
  app.json appsettings.json bower.json bun.json caddy.json composer.json conf.json config.json constraints.txt
  default.json default.txt deno.json deploy.json edgeone.json firebase.json fly.json function.json
  functions.json global.json headers.json host.json hosting.json index.json index.txt jsconfig.json lerna.json
  netlify.json now.json npm-shrinkwrap.json nx.json package-lock.json package.json project.json proxies.json
  railway.json redirects.json render.json requirements.txt rewrites.json router.json routes.json runtime.txt
  server.json settings.json static.json superstatic.json tsconfig.json turbo.json unit.json vercel.json
  web.json wrangler.json
  ads.txt app-ads.txt humans.txt llms.txt manifest.json robots.txt security.txt sellers.json sitemap.txt
  `
    .trim()
    .split(/\s+/),
);

/**
 * Decides what a path may be in a tree, whether SHA256SUMS lists the path or not. The files that a log proves have rules of
 * their own (rule log-kept).
 *
 * @returns `known`: a file of this version or an earlier one. `added`: a later version may have added the file, and nothing
 *   that this version knows depends on it. `refused`: no version adds such a file, because hosts could read it as
 *   configuration, or serve it instead of a known file (rule later-versions)
 */
export function roleOf(path: string): 'known' | 'added' | 'refused' {
  const kind = NAMED.get(path) ?? STARRED.find(({ form }) => form.test(path))?.kind;
  if (kind !== undefined && kind.listedIn !== 'log') return 'known';
  const isVariant = [...NAMED.keys()].some((file) => file.toLowerCase() === path);
  return ADDED_FILE.test(path) && !isVariant && !READ_BY_OTHERS.has(path) ? 'added' : 'refused';
}
