import type { BegunRefresh, SharedTurn } from '../../stores/ports.js';

/** A refresh that is under way, on this machine and among all. */
export interface Begun extends BegunRefresh {
  readonly shared: SharedTurn | undefined;
}

/** The room here ends first, then the turn among all machines. */
export async function begunIn(shared: SharedTurn | undefined, begin: () => Promise<BegunRefresh>): Promise<Begun> {
  const end = async () => await shared?.[Symbol.asyncDispose]();
  try {
    const room = await begin();
    const dispose = async () => {
      await using _shared = { [Symbol.asyncDispose]: end };
      await room[Symbol.asyncDispose]();
    };
    return { shared, keep: (value) => room.keep(value), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await end();
    throw error;
  }
}
