/** Calls `make` at the first call, and only then. */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A port with only asynchronous methods; its code is loaded, and it is created, when the first of them is called. */
export function lazy<Port extends object>(make: () => Promise<Port>): Port {
  const port = once(make);
  const call =
    (name: string | symbol) =>
    async (...args: readonly unknown[]) => {
      const made = (await port()) as Record<string | symbol, ((...args: readonly unknown[]) => unknown) | undefined>;
      return made[name]?.(...args);
    };
  // Without `then` it is no promise, so an asynchronous function can return it.
  return new Proxy({} as Port, { get: (_, name) => (name === 'then' ? undefined : call(name)) });
}
