/** What is made at the first call, and once. */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A port all of whose methods give promises: its code is loaded, and it is made, at the first call of one. */
export function lazy<Port extends object>(make: () => Promise<Port>): Port {
  const port = once(make);
  const call =
    (name: string | symbol) =>
    async (...args: readonly unknown[]) => {
      const made = (await port()) as Record<string | symbol, ((...args: readonly unknown[]) => unknown) | undefined>;
      return made[name]?.(...args);
    };
  // Without `then` it is no promise, and can itself be the result of an asynchronous function.
  return new Proxy({} as Port, { get: (_, name) => (name === 'then' ? undefined : call(name)) });
}
