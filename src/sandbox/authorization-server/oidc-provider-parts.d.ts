// The package's own entry prints a warning on Node 20, where it works and is tested by this project;
// its parts, taken one by one, print nothing.
declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider';
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import { errors } from 'oidc-provider';
  export import InvalidClient = errors.InvalidClient;
  export import InvalidRequest = errors.InvalidRequest;
  export import InvalidGrant = errors.InvalidGrant;
  export import InvalidTarget = errors.InvalidTarget;
  export import InvalidClientAuth = errors.InvalidClientAuth;
}

declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  import { interactionPolicy } from 'oidc-provider';
  export import Check = interactionPolicy.Check;
  export import Prompt = interactionPolicy.Prompt;
  export import base = interactionPolicy.base;
}

declare module 'oidc-provider/lib/helpers/validate_dpop.js' {
  import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

  interface DpopProof {
    /** Of the key, as `cnf.jkt` has it. */
    readonly thumbprint: string;
    readonly jti: string;
  }
  /** Undefined where there is no proof, or proofs are off. @throws OIDCProviderError for a wrong one, and where a nonce is wanted */
  export default function validateDpop(provider: Provider, context: KoaContextWithOIDC): Promise<DpopProof | undefined>;

  /** @throws OIDCProviderError for a proof that was used before */
  export function checkDpopReplay(
    provider: Provider,
    context: KoaContextWithOIDC,
    proof: DpopProof | undefined,
    clientId: string,
  ): Promise<void>;
}
