// biome-ignore-all lint/performance/noBarrelFile: it is the door that tests go through
// What most tests use of the program's own modules, so that a module that moves changes one line here.
export { exitCode, Failure, isFailure, type Step } from '../../src/core/failure.js';
export { defaultLimits, type Limits, limitSettings } from '../../src/core/limits.js';
export type { Clock, CorePorts, Journal, Relogin, Terminal } from '../../src/core/ports.js';
export {
  type BrowserChoice,
  defaultAccount,
  type IndexDocument,
  type LoginRecord,
  type RegistrationWay,
  type SharedKind,
  type StoreKind,
} from '../../src/core/records.js';
export { Secret, type SecretHeader } from '../../src/core/secret.js';
export type { BrowserAvailability } from '../../src/login/browser/browser-availability.js';
export type { CallbackListener } from '../../src/login/browser/callback-listener.js';
export type { Browser } from '../../src/login/browser/open-browser.js';
export type { LoginConsent } from '../../src/login/browser/page.js';
export type {
  ClientOptions,
  GivenAssertion,
  LoginPorts,
  LoginRequest,
  PersonLogin,
  PersonOptions,
  PreregisteredClient,
} from '../../src/login/ports.js';
export { ToolPolicy, type ToolRules } from '../../src/mcp/lending/tool-policy.js';
export type { SandboxClient, SandboxOptions } from '../../src/sandbox/options.js';
export { formsOf, type Walk, walkLogin } from '../../src/sandbox/walk.js';
export { createCredentialIndex, readIndexSync } from '../../src/stores/index/credential-index.js';
export { storeFailed, storeLocked } from '../../src/stores/keychain/failures.js';
export type { CredentialIndex, SecretStore, SecretStores, SharedTurn, StorePorts } from '../../src/stores/ports.js';
export { createLocks } from '../../src/stores/state/locks.js';
export type { ToolList, ToolSignature } from '../../src/stores/state/tool-lists.js';
export { createMemoryStore } from '../../src/stores/stores.js';
// What a proxy's mount takes: a made-up login goes through the authorizer like a real one.
export { Authorizer, type TokenSource } from '../../src/tokens/authorizer.js';
export { requestToken } from '../../src/tokens/credential-target.js';
