/** What the first view does not need. The page loads this module while the registry answers, or right after. */

import './dom/later-style.js';

export { createIssuerLookup } from '@passport-registry/verifier';
export { issuerView } from './issuer/issuer-view.js';
export { recentChanges } from './list/changes-list.js';
export { matcherOf } from './list/matcher.js';
export { isSameNames, namesNote, readNames } from './list/names.js';
export { searchHints } from './list/search-hints.js';
export { notFoundPage } from './not-found-page.js';
export { fetchVerifiedChanges } from './registry/changes.js';
export { explainFailure, provenDetails, showDetails } from './verification/details.js';
