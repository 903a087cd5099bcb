import { asObject, type JsonObject, parseJson } from '../../primitives/json.js';

/** The claims of a JWT (RFC 7519), nothing of it verified; undefined when it is none. For what is shown, never for trust. */
export function unverifiedClaims(token: string): JsonObject | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) {
    return undefined;
  }
  const parsed = parseJson(decoded(payload), { maxDepth: 16, maxKeys: 1000 });
  return parsed.ok ? asObject(parsed.value) : undefined;
}

function decoded(payload: string): Uint8Array {
  try {
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
