import { CHECKSUMS_PATH } from './checksums.js';
import { HOST_FILES } from './host-configuration.js';
import { PATHS } from './paths.js';

/** The files in the top folder of a tree, and hosts' files in other folders. */
const FILES: readonly string[] = [
  ...[PATHS.list, PATHS.signature, PATHS.checkpoint, PATHS.publication, PATHS.operations, CHECKSUMS_PATH],
  ...[PATHS.statements, PATHS.about],
  ...[PATHS.page, PATHS.pageSums, PATHS.sitemap, PATHS.changes, PATHS.feed, PATHS.developmentMark],
  ...HOST_FILES,
  ...[PATHS.rootKey, PATHS.rotation, PATHS.delegation, PATHS.holders],
];

/** The other files of a tree, without those that a log proves. Versions before 0.2.0 wrote `deltas`. */
const FILES_IN_FOLDERS: readonly RegExp[] = [
  /^assets\/(?:parts\/)?[\dA-Za-z-]+\.(?:css|ico|js|json|png|svg|txt|webp|woff2)$/,
  /^deltas\/[\da-f]{64}\.json$/,
  /^i\/[\da-z][\d._a-z-]*\.html$/,
  /^issuers\/[\da-z][\d._a-z-]*$/,
  /^schemas\/[a-z-]+\.(?:openapi|schema)\.json$/,
  /^snapshots\/[\da-f]{64}\/(?:issuers\.json|issuers\.sig|publication\.jwt|about\.json)$/,
  /^sums\/(?:root|[\da-f]+)$/,
];

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
  if (FILES.includes(path) || FILES_IN_FOLDERS.some((form) => form.test(path))) return 'known';
  const isVariant = FILES.some((file) => file.toLowerCase() === path);
  return ADDED_FILE.test(path) && !isVariant && !READ_BY_OTHERS.has(path) ? 'added' : 'refused';
}
