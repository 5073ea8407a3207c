import autocannon from 'autocannon';

/**
 * Sends requests over sockets, each once. Returns how many a second had their answers, and the waits in milliseconds. The first
 * request of a connection does not count as a wait, because all are sent at once.
 */
export async function sendRequests(url, { connections, requests }) {
  const each = Math.floor(requests.length / connections);
  let next = 0;
  const setupClient = (client) => {
    client.setRequests(requests.slice(next, next + each));
    next += each;
  };
  const waits = [];
  const connected = new Set();
  let end;
  const started = performance.now();
  const run = autocannon({ url, connections, amount: each * connections, sampleInt: 20, setupClient });
  run.on('response', (client, _status, _bytes, wait) => {
    if (connected.has(client)) waits.push(wait);
    connected.add(client);
    end = performance.now();
  });
  const { '2xx': admitted, statusCodeStats } = await run;
  if (admitted !== each * connections)
    throw new Error(`not all requests were admitted: ${JSON.stringify(statusCodeStats)}`);
  return { throughput: (admitted * 1000) / (end - started), waits };
}
