import type { Home } from './home.js';
import { writeStored } from './keyring-queries.js';
import { plantLogin, type StoredLogin } from './planted-login.js';
import type { LoginRecord } from './product.js';

/** Stores a login as `postern login` does: the item in the keychain of the home's session bus, the record in its index. */
export function storeLogin(home: Home, login: StoredLogin): Promise<LoginRecord> {
  return plantLogin(home, login, (key, item) => writeStored(home.env, key, item.reveal()));
}

export type { StoredLogin } from './planted-login.js';
