/** Waits for something to become so. @param said - what there is to show if it never does */
export async function until(good: () => boolean, said: () => string): Promise<void> {
  for (let waited = 0; !good(); waited += 50) {
    if (waited > 30_000) throw new Error(`never, but:\n${said()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
