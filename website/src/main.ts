import { meta } from './dom/element.js';
import { RegistryPage } from './registry-page.js';

/** The root of the tree. A mirror may serve the tree below any path, and this file is always in `assets/`. */
const base = new URL('..', import.meta.url);
const pinned = meta('registry-root-key');

/** Shows an element of the page. @returns whether there is one with this id */
function goTo(id: string | undefined): boolean {
  const destination = id === undefined ? null : document.getElementById(id);
  if (destination === null) return false;
  destination.scrollIntoView();
  destination.focus({ preventScroll: true });
  return true;
}

// A link to an element of the page must not replace the fragment of the URL, which holds the current view.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (goTo(link?.getAttribute('href')?.match(/^#([\w-]+)$/)?.[1])) event.preventDefault();
});

// 404.html can be served at any path, so it loads this script from several URLs. Only the first copy to run starts.
const { dataset } = document.documentElement;
if (dataset['registry'] === undefined) {
  dataset['registry'] = base.href;
  if (pinned !== undefined)
    void new RegistryPage(base, pinned).start().then(() => goTo(location.hash.slice(1)));
  else {
    // Without this part, the page still says that nothing is at this URL.
    import('./parts.js').then(({ notFoundPage }) => notFoundPage(base)).catch(() => undefined);
  }
}
