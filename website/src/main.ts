import { byId } from './element.js';
import { ListPage } from './list-page.js';
import { notFoundPage } from './not-found-page.js';

/** This file is in assets/, wherever a mirror has put the tree. */
const base = new URL('..', import.meta.url);
const pinned = document.querySelector<HTMLMetaElement>('meta[name="registry-root-key"]')?.content;

// Links within the page must not take the place of what the address says about the list.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const target = link?.getAttribute('href')?.match(/^#([\w-]+)$/)?.[1];
  const place = target === undefined ? null : document.getElementById(target);
  if (place === null) return;
  event.preventDefault();
  place.scrollIntoView();
  byId(place.id).focus({ preventScroll: true });
});

// A page that stands in for any address asks for this script at several; the nearest is its own registry's.
const started = document.documentElement.dataset;
if (started['registry'] === undefined) {
  started['registry'] = base.href;
  if (pinned === undefined) void notFoundPage(base);
  else void new ListPage(base, pinned).start();
}
