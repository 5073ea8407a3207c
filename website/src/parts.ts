/** What the first view does not need. The page loads this module while the registry answers, or right after. */

export { issuerView, unknownIssuerView } from './issuer/issuer-view.js';
export { recentChanges } from './list/changes-list.js';
export { LogCheck } from './log/log-check.js';
export { notFoundPage } from './not-found-page.js';
export { operationsView } from './operations/operations-view.js';
export { cosignaturesBy, readOperations } from './operations/read-operations.js';
export { fetchVerifiedChanges } from './registry/changes.js';
export { provenDetails, showDetails } from './verification/details.js';
