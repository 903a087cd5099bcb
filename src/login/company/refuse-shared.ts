import { isSharedKind } from '../../core/records.js';
import { sameLogin } from '../../tokens/find-login.js';
import { meantBy, storeForLogin } from '../begin-login.js';
import type { LoginPorts, LoginRequest } from '../ports.js';
import { companyNotShared } from './failures.js';

/**
 * A login by a company's provider, or one that replaces such a login, is kept in no store that machines share. Neither the
 * store nor a server is asked before.
 * @throws Failure `store_refused`, of the index
 */
export async function refuseShared(
  ports: Pick<LoginPorts, 'index' | 'store' | 'stores'>,
  request: Pick<LoginRequest, 'server' | 'account' | 'name' | 'given' | 'store'> & { readonly byProvider: boolean },
): Promise<void> {
  const { logins } = await ports.index.read();
  const held = sameLogin(logins, request);
  if (!request.byProvider && held?.provider === undefined) return;
  const { kind } = storeForLogin(ports, request.store, logins, held);
  if (isSharedKind(kind)) throw companyNotShared(kind, meantBy(request, held));
}
