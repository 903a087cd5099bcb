import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from './verify-token.js';

/**
 * The caller in the form in which the SDK hands it to tools. It has no token in it: what a tool does not have,
 * it cannot pass on to anyone.
 */
export function authInfoOf(caller: Caller, metadata: string | undefined): AuthInfo {
  return {
    token: '',
    clientId: caller.clientId,
    scopes: [...caller.scopes],
    expiresAt: caller.expiresAt,
    extra: { subject: caller.subject },
    ...(metadata === undefined ? {} : { resourceMetadataUrl: metadata }),
  };
}

/** Whose tasks and pages these are: subject and client both, as for sessions. @throws as `callerOf` */
export function ownerOf(context: ServerContext): string {
  const { subject, clientId } = callerOf(context);
  return JSON.stringify([subject, clientId]);
}

/** Who made the request that is under way. @throws Error when the gate was left out */
export function callerOf(context: ServerContext): Caller {
  const known = context.http?.authInfo;
  const subject = known?.extra?.['subject'];
  if (known?.expiresAt === undefined || typeof subject !== 'string') throw new Error('a request came past the gate');
  return { subject, clientId: known.clientId, scopes: known.scopes, expiresAt: known.expiresAt };
}
