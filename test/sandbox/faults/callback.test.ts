import { callbackFaults } from '../../../src/sandbox/faults/callback.js';
import { listenForCallback, loggedIn, registerNative } from '../client.js';
import { proveFaults } from './observe.js';

/** The queries that reached the callback, first to last, and the issuer. */
interface Arrived {
  readonly all: readonly URLSearchParams[];
  readonly last: URLSearchParams;
  readonly issuer: string;
}

const state = 'our state';

proveFaults<Arrived>(
  callbackFaults(),
  async (sandbox, arm) => {
    arm();
    await using callback = await listenForCallback();
    const { answer } = await loggedIn(sandbox, callback, await registerNative(sandbox));
    return { all: callback.seen, last: answer, issuer: sandbox.issuer };
  },
  {
    'callback-no-state': ({ last }) => last.has('code') && !last.has('state'),
    'callback-empty-state': ({ last }) => last.get('state') === '',
    'callback-wrong-state': ({ last }) => last.get('state') === 'wrong',
    'callback-wrong-iss': ({ last }) => last.get('iss') === 'https://evil.invalid',
    'callback-missing-iss': ({ last }) => last.has('code') && !last.has('iss'),
    'callback-iss-slash': ({ last, issuer }) => last.get('iss') === `${issuer}/`,
    'callback-duplicate-code': ({ last }) => last.getAll('code').length === 2,
    'callback-duplicate-state': ({ last }) => last.getAll('state').length === 2,
    'callback-code-and-error': ({ last }) => last.has('code') && last.has('error'),
    'callback-bad-code': ({ last }) => last.get('code') === 'a\r\nb',
    'callback-huge-code': ({ last }) => last.get('code')?.length === 6000,
    'callback-wrong-code': ({ last }) => last.get('code') === 'injected' && last.get('state') === state,
    'callback-hostile-error': ({ last }) =>
      last.get('state') === state && last.get('error_description')?.includes('<script>') === true && !last.has('code'),
    'callback-error-no-state': ({ all, last }) =>
      all.length === 2 &&
      all[0]?.toString() === 'error=access_denied' &&
      last.get('state') === state &&
      last.has('code'),
    'callback-stray-code': ({ all, last }) =>
      all.length === 2 && all[0]?.get('state') === 'wrong' && last.get('state') === state && last.has('code'),
  },
);
