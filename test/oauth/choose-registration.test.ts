import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseWay, type WayFacts } from '../../src/oauth/choose-registration.js';

const everything: WayFacts = {
  forced: undefined,
  preregistered: 'by-hand',
  metadataUrl: 'https://me.postern/client.json',
  documentHasKey: false,
  byDevice: false,
  server: {
    takesMetadataDocuments: true,
    registrationEndpoint: 'https://as.postern/register',
    tokenAuthMethods: undefined,
  },
};

const without = (facts: Partial<WayFacts>, server: Partial<WayFacts['server']> = {}): WayFacts => ({
  ...everything,
  ...facts,
  server: { ...everything.server, ...server },
});

for (const [what, facts, way, passedOver] of [
  ['everything open', everything, 'preregistered', []],
  ['no client by hand', without({ preregistered: undefined }), 'metadata', [/--client-id/]],
  [
    'no address of a document',
    without({ preregistered: undefined, metadataUrl: undefined }),
    'dynamic',
    [/--client-id/, /--client-metadata-url/],
  ],
  [
    'documents not taken',
    without({ preregistered: undefined }, { takesMetadataDocuments: false }),
    'dynamic',
    [/--client-id/, /does not take/],
  ],
  [
    'a document with a key where none is taken',
    without({ preregistered: undefined, documentHasKey: true }, { tokenAuthMethods: ['none'] }),
    'dynamic',
    [/--client-id/, /no private_key_jwt/],
  ],
  [
    'a document with a key where nothing is said of keys',
    without({ preregistered: undefined, documentHasKey: true }),
    'metadata',
    [/--client-id/],
  ],
  [
    'a login by a code',
    without({ preregistered: undefined, byDevice: true }),
    'dynamic',
    [/--client-id/, /by a code.*--registration metadata/],
  ],
  [
    'a login by a code where nobody can register',
    without({ preregistered: undefined, byDevice: true }, { registrationEndpoint: undefined }),
    'metadata',
    [/--client-id/],
  ],
  [
    'nothing open',
    without({ preregistered: undefined, metadataUrl: undefined }, { registrationEndpoint: undefined }),
    'ask',
    [/--client-id/, /--client-metadata-url/, /no dynamic registration/],
  ],
] as const) {
  test(`[R-4.6a] with ${what}: ${way}, and why none of those before it`, () => {
    const choice = chooseWay(facts);
    assert.ok(choice.open);
    assert.equal(choice.way, way);
    assert.equal(choice.passedOver.length, passedOver.length);
    for (const [index, pattern] of passedOver.entries()) {
      assert.match(choice.passedOver[index]?.why ?? '', pattern);
    }
  });
}

for (const forced of ['preregistered', 'metadata', 'dynamic', 'ask'] as const) {
  test(`[R-4.6a] --registration ${forced} is taken where it is open, a login by a code or not, and no other instead of it`, () => {
    for (const byDevice of [false, true]) {
      const choice = chooseWay(without({ forced, byDevice }));
      assert.deepEqual(choice.open && choice.way, forced);
    }
    const closed = without(
      { forced, preregistered: undefined, metadataUrl: undefined },
      { registrationEndpoint: undefined },
    );
    assert.equal(chooseWay(closed).open, forced === 'ask');
  });
}
