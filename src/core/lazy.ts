/** What is made at the first call, and once. */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** A port all of whose methods give promises, made at the first use; `methods` names every one. */
export function lazy<Port extends object>(
  methods: Readonly<Record<keyof Port, true>>,
  make: () => Promise<Port>,
): Port {
  const port = once(make);
  const calls = Object.keys(methods).map((name) => [
    name,
    async (...given: readonly unknown[]) => {
      const made = (await port()) as Record<string, (...given: readonly unknown[]) => unknown>;
      return made[name]?.(...given);
    },
  ]);
  return Object.fromEntries(calls) as Port;
}
