/** What was fetched: files, bytes of their content, and requests, including those for files that do not exist. */
export interface FetchedTotals {
  files: number;
  bytes: number;
  requests: number;
}

/** Creates a `fetch` that counts what it fetches, and the totals so far. */
export function countedFetch(): { readonly fetch: typeof fetch; readonly totals: FetchedTotals } {
  const totals: FetchedTotals = { files: 0, bytes: 0, requests: 0 };
  const counted: typeof fetch = async (input, init) => {
    totals.requests += 1;
    const response = await fetch(input, init);
    if (response.status !== 200 || response.body === null) return response;
    totals.files += 1;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        totals.bytes += chunk.length;
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(counter), response);
  };
  return { fetch: counted, totals };
}
