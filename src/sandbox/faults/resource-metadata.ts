import { type Fault, html, insteadFault, jsonFault, redirect, successFault, withText } from './fault.js';

const point = 'resource-metadata';

/** A: what the protected resource metadata document says. */
export function resourceMetadataFaults(): readonly Fault[] {
  return [
    jsonFault(point, { name: 'prm-wrong-resource', rows: [17], what: 'resource names another host' }, (document) => ({
      ...document,
      resource: 'https://bank.example/mcp',
    })),
    jsonFault(
      point,
      { name: 'prm-resource-origin', rows: [18], what: 'resource names the whole origin' },
      (document, { addresses }) => ({ ...document, resource: addresses.serverOrigin }),
    ),
    jsonFault(
      point,
      { name: 'prm-resource-sibling', rows: [18], what: 'resource names a sibling path' },
      (document, { addresses }) => ({ ...document, resource: `${addresses.serverOrigin}/other` }),
    ),
    jsonFault(
      point,
      { name: 'prm-resource-fragment', rows: [19], what: 'resource has a fragment' },
      (document, { addresses }) => ({ ...document, resource: `${addresses.serverUrl}#a` }),
    ),
    jsonFault(point, { name: 'prm-no-servers', rows: [21], what: 'no authorization_servers' }, (document) => {
      const { authorization_servers: _, ...rest } = document;
      return rest;
    }),
    jsonFault(point, { name: 'prm-empty-servers', rows: [21], what: 'authorization_servers is []' }, (document) => ({
      ...document,
      authorization_servers: [],
    })),
    jsonFault(
      point,
      { name: 'prm-other-issuer', rows: [22], what: 'names another authorization server' },
      (document) => ({ ...document, authorization_servers: ['https://evil.invalid'] }),
    ),
    jsonFault(
      point,
      { name: 'prm-hostile-names', rows: [27], what: 'display fields aimed at the terminal' },
      (document) => ({
        ...document,
        resource_name: '\u001b[2J\u001b]0;owned\u0007\u202egood',
        resource_documentation: 'javascript:alert(1)',
      }),
    ),
    jsonFault(point, { name: 'prm-array', rows: [20], what: 'an array instead of an object' }, (document) => [
      document,
    ]),
    successFault(point, { name: 'prm-duplicate-keys', rows: [20], what: 'resource twice' }, ({ addresses }, response) =>
      withText(
        response,
        `{"resource":"${addresses.serverUrl}","authorization_servers":["${addresses.issuer}"],"resource":"https://evil.invalid"}`,
      ),
    ),
    insteadFault(point, { name: 'prm-html', rows: [16], what: '200 with an HTML page' }, () =>
      html(200, '<!doctype html><title>Welcome</title><p>Please log in.'),
    ),
    insteadFault(point, { name: 'prm-missing', rows: [23], what: '404 at every address' }, () =>
      html(404, 'nothing here'),
    ),
    insteadFault(
      point,
      { name: 'prm-redirect-elsewhere', rows: [8], what: 'a redirect to the cloud metadata address' },
      () => redirect(302, 'http://169.254.169.254/latest/meta-data/'),
    ),
    insteadFault(
      point,
      { name: 'prm-redirect-ring', rows: [8, 255], what: 'redirects to itself for ever' },
      ({ path }) => redirect(302, `${path}?${Date.now()}`),
    ),
  ];
}
