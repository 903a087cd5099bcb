import type { OutboundDoor } from '../../ports.js';
import type { Secret } from '../../primitives/secret.js';
import { type EndpointRequest, postForm, type TokenAnswer } from './token-request.js';

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Asks for a device and a user code (RFC 8628 section 3.1) with `resource` (RFC 8707).
 * @throws Failure of the door
 */
export function sendDeviceAuthorizationRequest(
  door: OutboundDoor,
  request: EndpointRequest & { readonly scopes: readonly string[]; readonly resource: string },
): Promise<TokenAnswer> {
  return postForm(door, request, [
    ['resource', request.resource],
    ...(request.scopes.length === 0 ? [] : ([['scope', request.scopes.join(' ')]] as const)),
  ]);
}

/**
 * Asks whether the person has decided (RFC 8628 section 3.4).
 * @throws Failure of the door
 */
export function sendDeviceTokenRequest(
  door: OutboundDoor,
  request: EndpointRequest & { readonly deviceCode: Secret; readonly resource: string },
): Promise<TokenAnswer> {
  return postForm(door, request, [
    ['grant_type', deviceGrant],
    ['device_code', request.deviceCode.reveal()],
    ['resource', request.resource],
  ]);
}
