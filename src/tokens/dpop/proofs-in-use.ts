import type { LoginRecord } from '../../core/records.js';
import type { StoredCredential } from '../../stores/credential-item.js';
import type { StorePorts } from '../../stores/ports.js';
import { withLogin } from '../read-credential.js';
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
  async of(
    { binding, dpopKey: key, dpopRequired }: StoredCredential,
    schemeTaken?: LoginRecord['schemeTaken'],
  ): Promise<BoundToken | undefined> {
    if (key === undefined) return undefined;
    if (this.#latest?.key === key.reveal()) return this.#latest.bound;
    const { LoginProofs } = await import('./login-proofs.js');
    const { server } = binding;
    const bound = new LoginProofs({ server, key, isRequired: dpopRequired === true, schemeTaken, now: this.#now });
    this.#latest = { key: key.reveal(), bound };
    return bound;
  }
}

/** Keeps with the login whether its server takes the bound token as a Bearer token, so that the next command need not try. */
export async function noteScheme(
  { index }: Pick<StorePorts, 'index'>,
  login: LoginRecord,
  bound: BoundToken | undefined,
): Promise<void> {
  if (bound === undefined || bound.isBare === (login.schemeTaken === 'bearer')) return;
  const seen = bound.isBare ? ({ schemeTaken: 'bearer' } as const) : {};
  const noted = ({ schemeTaken: _, ...old }: LoginRecord) => ({ ...old, ...seen });
  await index.update((document) => withLogin(document, login.key, noted));
}
