import type { Secret } from '../../core/secret.js';
import type { StoredCredential } from '../../stores/credential-item.js';
import type { BoundToken } from './bound-token.js';

/** The proofs of a login while a command runs: loaded when there is a key. */
export class ProofsInUse {
  readonly #now: () => number;
  #latest: { readonly key: string; readonly bound: BoundToken } | undefined;

  /** @param now Milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The same for the same key: what its server has said of nonces holds for the tokens that follow. */
  of(credential: StoredCredential): undefined | Promise<BoundToken> {
    const { dpopKey: key } = credential;
    return key === undefined ? undefined : this.#of(credential, key);
  }

  async #of({ binding, dpopRequired }: StoredCredential, key: Secret): Promise<BoundToken> {
    if (this.#latest?.key === key.reveal()) return this.#latest.bound;
    const { LoginProofs } = await import('./login-proofs.js');
    const { server } = binding;
    const bound = new LoginProofs({ server, key, isRequired: dpopRequired === true, now: this.#now });
    this.#latest = { key: key.reveal(), bound };
    return bound;
  }
}
