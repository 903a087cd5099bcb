// The package's own entry prints a warning on Node 20, where it works and is tested by this project;
// its parts, taken one by one, print nothing.
declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider';
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import { errors } from 'oidc-provider';
  export import InvalidClient = errors.InvalidClient;
  export import InvalidGrant = errors.InvalidGrant;
  export import InvalidTarget = errors.InvalidTarget;
  export import InvalidClientAuth = errors.InvalidClientAuth;
}
