/** Waits until a condition is true. @param said - returns details for the error after two minutes */
export async function until(isTrue: () => boolean, said: () => string = () => ''): Promise<void> {
  for (let waitedMs = 0; !isTrue(); waitedMs += 10) {
    if (waitedMs > 120_000) throw new Error(`the condition did not become true:\n${said()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
