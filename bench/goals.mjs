// The goals for the ratios, and what keeps the program from those that it does not reach. report.mjs puts them into RESULTS.md.

const CLONE =
  'a gateway reads the body from a copy of the request, so that the handler gets the request as it came; by hand, the handler reads it itself';
const STRICT = 'besides the signatures, each token is parsed strictly and checked against the whole profile';

/** A goal for a figure, and why it is not reached. The reason is shown only while the figure is worse. */
export const GOALS = [
  goal(
    'cold build to the floor, 1,000 records',
    0.62,
    'a build verifies what it makes, reads back each file, and makes the tree of sums, which the floor does not',
  ),
  goal(
    'cold build to the floor, 10,000 records',
    0.5,
    'a build verifies what it makes, reads back each file, and makes the tree of sums, which the floor does not',
  ),
  goal(
    'list load, 10,000 issuers, to the floor',
    1.5,
    'each record is compared with the schema and its shortest form',
  ),
  goal(
    'list load, 100,000 issuers, to the floor',
    1.4,
    'each record is compared with the schema and its shortest form',
  ),
  goal(
    'first load, 10 issuers, to a script that fetches and verifies two files, 0 ms latency',
    1.4,
    'a client also checks the key, the statements and every record, which the script takes as they come',
  ),
  goal(
    'first load of 10,000 issuers, to the same list as a target of tuf-js',
    0.8,
    'each record is checked, which tuf-js leaves to its user',
  ),
  goal(
    'resolve + decide, to a look-up in a Map',
    12,
    'an issuer is looked up twice, each time a clock tells that the list is fresh, and each of five requirements is applied to its record',
  ),
  goal(
    'throughput of verifyAction to that of two bare verifications, Ed25519, a new token each time, 100 at once',
    0.72,
    STRICT,
  ),
  goal(
    'throughput of verifyAction to that of two bare verifications, Ed25519, the same token, 100 at once',
    1.05,
    STRICT,
  ),
  ...['Hono', 'fetch', 'Express', 'Fastify'].map((name) =>
    goal(
      `throughput of ${name} with our middleware, to the same checks by hand, the same passports, 100 connections`,
      0.95,
      CLONE,
    ),
  ),
  goal('requests of a first load, log with a quorum, 100 publications', 2),
  goal('requests of a refresh, log with a quorum, 100 publications', 1),
  goal('requests of a look-up without the list, log with a quorum, 100 publications', 4),
  goal(
    'time of a publication, 100 publications, to one without a log',
    2.5,
    'a build reads all files of the log and verifies each kept proof, so that damage in the middle is repaired or refused at once: 0.4 s for each 1,000 publications, of which kept proofs take three quarters. To skip some of them would need a second record of what was verified',
  ),
  goal(
    'mirror of 10,000 records after one change, to a first copy',
    0.3,
    'the first copy waits until the disk has each file, which takes 2 s or 7 s as the disk is; after a change, a mirror takes 1.3 s with either',
  ),
];

function goal(name, value, why = '') {
  return { name, value, why };
}

/** Whether a figure with this name is better if it is higher. All others are better if they are lower. */
export function isThroughput(name) {
  return name.startsWith('throughput');
}
