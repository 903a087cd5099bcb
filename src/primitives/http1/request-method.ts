/** The methods that go through: HTTP's own (RFC 9110 section 9), less those for the way there, and PATCH (RFC 5789). */
export const relayedMethods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];
