import type { CommandContext } from './command.js';

/**
 * Waits until a command that runs on and on is to end: `asked` by SIGTERM or SIGHUP, or with `stdin` at its end, to end
 * when it has finished what it does; `interrupted`: now.
 */
export async function waitForEnd(
  context: Pick<CommandContext, 'signals' | 'signal' | 'files'>,
  options: { readonly stdin: boolean },
): Promise<'asked' | 'interrupted'> {
  const { promise, resolve } = withResolver<'asked' | 'interrupted'>();
  const asked = () => resolve('asked');
  using _taken = context.signals.take((signal) => {
    if (signal !== 'SIGTERM' && signal !== 'SIGHUP') return false;
    asked();
    return true;
  });
  const interrupted = () => resolve('interrupted');
  if (context.signal.aborted) interrupted();
  context.signal.addEventListener('abort', interrupted, { once: true });
  if (options.stdin) readToEnd(context.files.stdin()).then(asked, asked);
  const keepsAlive = setInterval(() => undefined, 2 ** 30);
  try {
    return await promise;
  } finally {
    clearInterval(keepsAlive);
    context.signal.removeEventListener('abort', interrupted);
  }
}

async function readToEnd(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}

function withResolver<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
